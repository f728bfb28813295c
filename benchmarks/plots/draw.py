"""Which pictures there are, and for which there are figures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.kept import Comparison, Kept, Own
from benchmarks.plots import bars, kill, lines, spans, story

IMAGES = Path(__file__).parents[2] / "docs" / "images"


def draw(kept: Kept, to: Path) -> Iterator[tuple[Path, str]]:
    """Draw whatever was measured, and tell where each picture is and what it shows."""
    if kept.comparison is not None:
        yield from compared(kept.comparison, to)
    if kept.own is not None:
        yield from alone(kept.own, to)


def compared(comparison: Comparison, to: Path) -> Iterator[tuple[Path, str]]:
    """The story, then one picture for each measure."""
    if comparison.best_first("drain"):
        story.draw(path := to / "bench-story.svg", comparison)
        yield path, story.TITLE
    if kill.remains(comparison):
        kill.draw(path := to / "bench-kill.svg", comparison)
        yield path, kill.TITLE
    for one in bars.BARS:
        if comparison.best_first(one.figure):
            bars.draw(path := to / f"bench-{one.figure.replace('_', '-')}.svg", one, comparison)
            yield path, one.title
    for span in spans.SPANS:
        if comparison.best_first(span.p50):
            spans.draw(path := to / f"bench-{span.name}.svg", span, comparison)
            yield path, span.title


def alone(own: Own, to: Path) -> Iterator[tuple[Path, str]]:
    """What grows, and what it costs."""
    measured = {figure.name for figure in own.figures}
    for one in lines.LINES:
        if all(measured & set(panel.points.values()) for panel in one.panels):
            lines.draw(path := to / f"bench-{one.name}.svg", one, own)
            yield path, one.title
