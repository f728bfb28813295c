"""How things look on a terminal: colours, states, tables, pairs of label and value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress
from typing import Literal

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from windlass.cli.words import harmless
from windlass.core.job import State

# A state is told by colour, sign and word: any one of the three is enough.
STATES: dict[State, tuple[str, str]] = {
    State.SCHEDULED: ("blue", "◷"),
    State.PENDING: ("yellow", "○"),
    State.RUNNING: ("cyan", "▶"),
    State.COMPLETED: ("green", "✓"),
    State.FAILED: ("red", "✗"),
    State.CANCELLED: ("bright_black", "⊘"),
}
SEVERITIES = {"critical": "red", "warning": "yellow", "info": "blue"}  # of incidents
# From here on every column of a list has room, and from there on most.
WIDE, NORMAL = 120, 80
LEAST = {1: WIDE, 2: NORMAL}
# Columns that are never cut: the others give way to them.
WHOLE = frozenset({"id", "lease", "queue", "severity", "since", "state", "worker"})


def state(which: State) -> Text:
    """A state as people see it."""
    colour, sign = STATES[which]
    return Text(f"{sign} {which}", style=colour, no_wrap=True)


def text(value: object, style: str = "") -> Text:
    """Text from outside, shown as it is: no markup, no control characters."""
    return Text(harmless(str(value)), style=style)


def table(
    titles: Sequence[str], rows: Iterable[Sequence[RenderableType]], *, width: int = WIDE
) -> Table:
    """Rows in aligned columns; `name>` is one of numbers, `name~` one of sentences, which wrap.

    `name?` is left out of terminals that are not wide, `name??` of those that are narrow.
    """
    kept = [width >= LEAST.get(title.count("?"), 0) for title in titles]
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    wraps = ["~" in title for title in compress(titles, kept)]
    for title in compress(titles, kept):
        numbers, name = ">" in title, title.rstrip(">?~")
        justify: Literal["left", "right"] = "right" if numbers else "left"
        made.add_column(name, justify=justify, no_wrap=numbers or name in WHOLE)
    for row in rows:
        cells = zip(compress(row, kept), wraps, strict=True)
        made.add_row(*(_text(cell) if wrapped else _on_one_line(cell) for cell, wrapped in cells))
    return made


def pairs(facts: Iterable[tuple[str, RenderableType | None]]) -> Table:
    """Labels and values below each other; a value that is not there is left out."""
    made = Table.grid(padding=(0, 2, 0, 0))
    made.add_column(style="bold", no_wrap=True)
    made.add_column(overflow="fold")
    for label, value in facts:
        if value is not None:
            made.add_row(label, text(value) if isinstance(value, str) else value)
    return made


def identity(job_id: str) -> Text:
    """An id, whole on any terminal, so that it can be copied."""
    return Text(job_id, no_wrap=True, overflow="ignore")


def _text(cell: RenderableType) -> RenderableType:
    return text(cell) if isinstance(cell, str) else cell


def _on_one_line(cell: RenderableType) -> RenderableType:
    cell = _text(cell)
    if isinstance(cell, Text):
        cell.no_wrap, cell.overflow = True, "ellipsis"
    return cell
