"""The comparison in one picture: how fast, how soon, and what a crash leaves undone."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes

from benchmarks.kept import Comparison, Side
from benchmarks.plots import kill
from benchmarks.plots.bars import LEGEND, ROW, ink, kinds, lengths, rows, under_title
from benchmarks.plots.ink import drawing

TITLE = (
    "Windlass beside its peers: jobs run and jobs enqueued in bulk a second, pick-up when idle, and"
    " jobs not done or done twice after kill -9 of all workers"
)
PANELS = (
    ("drain", "Run", "jobs/s"),
    ("bulk", "Enqueue in bulk", "jobs/s; † has no bulk call"),
    ("pickup_p50", "Pick up when idle", "ms, median"),
)
ROOM_FOR_WORDS = 1.5


def draw(path: Path, comparison: Comparison) -> None:
    """A line a side, ours first, then peers by how fast they run jobs."""
    sides = in_order(comparison)
    with drawing(path, 10.4, ROW * len(sides) + LEGEND) as figure:
        panels = figure.subplots(1, len(PANELS) + 1, sharey=True)
        rows(panels[0], sides)
        for axes, (name, title, unit) in zip(panels, PANELS, strict=False):
            cells = comparison.cells(name)
            lengths(axes, [cells.get(side.side) for side in sides], [ink(side) for side in sides])
            entitle(axes, title, unit)
        left = kill.remains(comparison)
        kill.lengths(panels[-1], sides, left, lambda one: one.brief, room=ROOM_FOR_WORDS)
        entitle(panels[-1], kill.TITLE, "jobs not done 60 s later, or done twice")
        figure.legend(handles=kinds(), loc="outside lower left", ncols=3, frameon=False)


def in_order(comparison: Comparison) -> list[Side]:
    """Ours, then the others that took part, the fastest first."""
    peers = [side for side, _ in comparison.best_first("drain") if not side.ours]
    return [side for side in comparison.sides if side.ours] + peers


def entitle(axes: Axes, title: str, unit: str) -> None:
    """Say what it is, with nothing else around the bars."""
    axes.tick_params(left=False, bottom=False, labelbottom=False)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.set_title(title, pad=16)
    under_title(axes, unit)
