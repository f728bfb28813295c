"""How a picture looks: one set of colours for paper and one for the dark, and no fonts to load."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
from matplotlib.figure import Figure

mpl.use("svg")


class Ink(NamedTuple):
    """A colour on light paper, and the same on dark."""

    name: str
    light: str
    dark: str


PAPER = Ink("paper", "#fffffe", "#0d1117")
TEXT = Ink("text", "#1f2328", "#f0f6fc")
FAINT = Ink("faint", "#59636e", "#9198a1")
RULE = Ink("rule", "#d1d9e0", "#3d444d")
OURS = Ink("ours", "#0969da", "#4493f8")
DURABLE = Ink("durable", "#8c959f", "#7d8590")
FRAIL = Ink("frail", "#c8d1da", "#454c55")
LOST = Ink("lost", "#d1242f", "#f85149")
TWICE = Ink("twice", "#e16f24", "#db6d28")
OTHER = Ink("other", "#bf8700", "#d29922")

INKS = (PAPER, TEXT, FAINT, RULE, OURS, DURABLE, FRAIL, LOST, TWICE, OTHER)

# Whoever looks at a picture brings the fonts, so it does not matter that none is here.
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)

STYLE: dict[Any, Any] = {
    "axes.edgecolor": RULE.light,
    "axes.facecolor": PAPER.light,
    "axes.labelcolor": FAINT.light,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": TEXT.light,
    "axes.titlelocation": "left",
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "figure.facecolor": PAPER.light,
    "font.family": ["sans-serif"],
    "font.sans-serif": ["Inter", "Segoe UI", "Noto Sans", "Helvetica", "Arial", "sans-serif"],
    "font.size": 9.0,
    "grid.color": RULE.light,
    "grid.linewidth": 0.5,
    "svg.fonttype": "none",  # text stays text: light, sharp, and found by whoever searches
    "svg.hashsalt": "windlass",  # the same figures give the same file
    "text.color": TEXT.light,
    "xtick.color": RULE.light,
    "xtick.labelcolor": FAINT.light,
    "ytick.color": RULE.light,
    "ytick.labelcolor": FAINT.light,
}


@contextmanager
def drawing(path: Path, width: float, height: float) -> Iterator[Figure]:
    """A figure of so many inches, kept at the end."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        drawn = io.StringIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
    path.write_text(for_both_themes(drawn.getvalue()), "utf-8")


def for_both_themes(svg: str) -> str:
    """Let whoever shows the picture choose, by what its reader prefers; light if it cannot."""
    for ink in INKS:
        svg = svg.replace(ink.light, f"var(--{ink.name}, {ink.light})")
    dark = "".join(f"--{ink.name}:{ink.dark};" for ink in INKS)
    style = f"<style>@media (prefers-color-scheme: dark){{:root{{{dark}}}}}</style>"
    head, defs, rest = svg.partition("<defs>")
    return f"{head}{style}{defs}{rest}"
