"""Delays as spans: from what half of the jobs wait to what one in a hundred does."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from matplotlib.ticker import FuncFormatter, NullFormatter

from benchmarks.figure import number
from benchmarks.kept import Comparison
from benchmarks.plots.bars import LEGEND, ROW, beside, ink, kinds, rows, under_title
from benchmarks.plots.ink import RULE, drawing

LEAST = 0.1  # ms: what is less is drawn here


class Spans(NamedTuple):
    """A picture of two figures, of which the second is the larger."""

    name: str
    p50: str
    p99: str
    title: str


SPANS = (
    Spans(
        "pickup",
        "pickup_p50",
        "pickup_p99",
        "From enqueue to the first line of the handler, on an idle worker",
    ),
    Spans(
        "retries-late",
        "retries_late_p50",
        "retries_late_p99",
        "How far from the second that was asked for a retry begins",
    ),
)


def draw(path: Path, spans: Spans, comparison: Comparison) -> None:
    """A line a side, best p50 first."""
    rated = comparison.best_first(spans.p50)
    tails = comparison.cells(spans.p99)
    with drawing(path, 7.6, ROW * len(rated) + LEGEND + 0.2) as figure:
        axes = figure.add_subplot()
        rows(axes, [side for side, _ in rated])
        axes.set_xscale("log")
        for y, (side, cell) in enumerate(rated):
            half, tail = cell.median or 0.0, tails[side.side].median or 0.0
            low, high = max(abs(half), LEAST), max(abs(tail), LEAST)
            colour = ink(side).light
            axes.plot([low, high], [y, y], color=colour, lw=3, solid_capstyle="butt")
            axes.plot(low, y, "o", color=colour, ms=6)
            axes.plot(high, y, "|", color=colour, ms=9, mew=2)
            beside(axes, f"{number(half)} · {number(tail)}", (max(low, high), y))
        axes.grid(visible=True, axis="x", color=RULE.light)
        axes.set_axisbelow(True)
        axes.tick_params(labelbottom=True)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g} ms"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xlim(right=axes.get_xlim()[1] * 4)
        axes.set_title(spans.title, pad=16)
        under_title(axes, "p50 (dot) to p99 (stroke), a scale of powers; less is better")
        figure.legend(handles=kinds(), loc="outside lower left", ncols=3, frameon=False)
