"""Sides as bars: a line each, its name on the left, its number at the end of its bar."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from benchmarks.figure import number
from benchmarks.kept import Cell, Comparison, Side
from benchmarks.plots.ink import DURABLE, FAINT, FRAIL, OURS, TEXT, Ink, drawing

THICK = 0.68
ROW = 0.24  # inches
ROOM = 1.24  # of the longest bar, so that its number has a place
LEGEND = 0.75  # inches for title and legend


class Bars(NamedTuple):
    """A picture of one figure."""

    figure: str
    title: str
    unit: str


BARS = (
    Bars("enqueue", "Enqueue, one by one", "jobs/s, more is better"),
    Bars("bulk", "Enqueue in bulk, 1,000 a call", "jobs/s, more is better; † no bulk call"),
    Bars("drain", "Drain of jobs that do nothing", "jobs/s, more is better"),
    Bars("drain_cpu", "CPU of workers and servers in a drain", "µs a job, less is better"),
    Bars("drain_sync", "Drain of plain functions", "jobs/s, more is better"),
    Bars("mixed", "Enqueue and run at the same time", "jobs/s, more is better"),
    Bars("retries", "Drain when a fifth of the jobs fails once", "jobs/s, more is better"),
    Bars("startup", "From the start of a worker to its first job", "s, less is better"),
    Bars("memory_pss", "Memory of all worker processes after a drain", "MB PSS, less is better"),
    Bars("idle", "CPU time of idle workers", "% of a core, less is better"),
)


def draw(path: Path, bars: Bars, comparison: Comparison) -> None:
    """One bar a side, best first, with the spread of its samples."""
    rated = comparison.best_first(bars.figure)
    with drawing(path, 7.6, ROW * len(rated) + LEGEND) as figure:
        axes = figure.add_subplot()
        rows(axes, [side for side, _ in rated])
        lengths(axes, [cell for _, cell in rated], [ink(side) for side, _ in rated])
        for y, (_, cell) in enumerate(rated):
            low, high = min(cell.samples), max(cell.samples)
            axes.plot([low, high], [y + THICK / 2] * 2, color=TEXT.light, lw=1.2)
        axes.set_title(bars.title, pad=16)
        under_title(axes, f"{bars.unit}; the thin line is the spread")
        figure.legend(handles=kinds(), loc="outside lower left", ncols=3, frameon=False)


def ink(side: Side) -> Ink:
    """Ours, as durable as ours, or not."""
    if side.ours:
        return OURS
    return DURABLE if side.durable else FRAIL


def kinds() -> list[Patch]:
    """What the colours mean."""
    return [
        Patch(color=OURS.light, label="Windlass, durable"),
        Patch(color=DURABLE.light, label="durable: an accepted job survives a power cut"),
        Patch(color=FRAIL.light, label="not durable in this set-up"),
    ]


def rows(axes: Axes, sides: Sequence[Side]) -> None:
    """Names of sides, from top to bottom."""
    axes.set_ylim(len(sides) - 0.4, -0.6)
    axes.set_yticks(range(len(sides)), [side.name for side in sides])
    axes.tick_params(left=False, bottom=False, labelbottom=False)
    axes.spines[["left", "bottom"]].set_visible(False)
    for tick, side in zip(axes.get_yticklabels(), sides, strict=True):
        tick.set_color(OURS.light if side.ours else TEXT.light)
        tick.set_fontweight("bold" if side.ours else "normal")


def lengths(axes: Axes, cells: Sequence[Cell | None], inks: Sequence[Ink]) -> None:
    """A bar for each number, and words where there is none."""
    longest = max((cell.median or 0.0 for cell in cells if cell is not None), default=0.0) or 1.0
    axes.set_xlim(0, longest * ROOM)
    for y, (cell, colour) in enumerate(zip(cells, inks, strict=True)):
        if cell is None or cell.median is None:
            words = (cell and cell.note) or "not measured"
            axes.text(0, y, words, va="center", color=FAINT.light, fontsize=8)
            continue
        axes.barh(y, cell.median, THICK, color=colour.light)
        shown = number(cell.median) + ("†" if cell.note == "†" else "")
        beside(axes, shown, (cell.median, y))


def beside(
    axes: Axes,
    words: str,
    place: tuple[float, float],
    points: tuple[int, int] = (4, 0),
    colour: str = TEXT.light,
) -> None:
    """Words so many points away from this place: to the right, or else in the middle."""
    across = "left" if points[0] else "center"
    axes.annotate(
        words,
        place,
        points,
        textcoords="offset points",
        ha=across,
        va="center",
        fontsize=8.5,
        color=colour,
    )


def under_title(axes: Axes, words: str) -> None:
    """Say what the numbers are."""
    axes.text(0, 1.0, words, transform=axes.transAxes, color=FAINT.light, va="bottom", fontsize=8.5)
