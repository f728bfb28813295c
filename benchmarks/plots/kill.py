"""What is left undone, or was done twice, when all workers are killed and started again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from matplotlib.axes import Axes

from benchmarks.kept import Comparison, Side
from benchmarks.plots.bars import LEGEND, ROOM, ROW, THICK, rows, under_title
from benchmarks.plots.ink import FAINT, LOST, OURS, TEXT, TWICE, drawing

TITLE = "After kill -9 of all workers"


class Left(NamedTuple):
    """What a kill left behind a minute later."""

    running: float  # when it came
    undone: float
    twice: float
    seconds: float | None  # until all were done

    @property
    def brief(self) -> str:
        """In a word or two."""
        return f"{self.undone:,.0f}" + (f", {self.twice:,.0f} twice" if self.twice else "")

    @property
    def full(self) -> str:
        """In a sentence."""
        if self.undone or self.seconds is None:
            return f"{self.brief}; {self.running:,.0f} were running"
        return (
            f"{self.brief}; all {self.running:,.0f} that were running done in {self.seconds:,.0f} s"
        )


def draw(path: Path, comparison: Comparison) -> None:
    """A line a side: least harm first."""
    left = remains(comparison)
    sides = sorted(
        (side for side in comparison.sides if side.side in left),
        key=lambda side: (left[side.side].undone + left[side.side].twice, not side.ours),
    )
    with drawing(path, 7.6, ROW * len(sides) + LEGEND) as figure:
        axes = figure.add_subplot()
        rows(axes, sides)
        lengths(axes, sides, left, lambda one: one.full, room=2.3)
        axes.set_title(TITLE, pad=16)
        under_title(axes, "jobs not done 60 s after the restart (red), or finished twice (orange)")


def remains(comparison: Comparison) -> dict[str, Left]:
    """What the kill left, by side, for those that were killed."""
    running, undone, twice, seconds = (
        {side: cell.median for side, cell in comparison.cells(f"kill_{name}").items()}
        for name in ("in_flight", "not_done", "twice", "recovery")
    )
    return {
        side: Left(running.get(side) or 0, count, twice.get(side) or 0, seconds.get(side))
        for side, count in undone.items()
        if count is not None
    }


def lengths(
    axes: Axes,
    sides: Sequence[Side],
    left: dict[str, Left],
    words: Callable[[Left], str],
    *,
    room: float = ROOM,
) -> None:
    """A bar for each that left something."""
    most = max((one.undone + one.twice for one in left.values()), default=0.0) or 1.0
    axes.set_xlim(0, most * room)
    for y, side in enumerate(sides):
        if (one := left.get(side.side)) is None:
            axes.text(0, y, "not measured", va="center", color=FAINT.light, fontsize=8)
            continue
        axes.barh(y, one.undone, THICK, color=LOST.light)
        axes.barh(y, one.twice, THICK, left=one.undone, color=TWICE.light)
        colour, weight = (OURS, "bold") if side.ours else (TEXT, "normal")
        end = one.undone + one.twice + most * 0.02
        axes.text(end, y, words(one), va="center", size=8.5, color=colour.light, weight=weight)
