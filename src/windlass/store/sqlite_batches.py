"""Statements about many rows, run in as few steps as SQLite allows.

Python gives the interpreter lock away at every step of a statement, and while the event loop is
busy getting it back takes up to 5 ms: 500 rows one by one came to 1,900 a second, in one step to
50,000. So a file says `values (:id, :fence)` for one row, and for many rows that group is repeated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from windlass.store.queries import PARAMETER, Query

GROUP = re.compile(r"\bvalues\s*\((\s*:[^)]*)\)")
WIDEST = 512


class Step(NamedTuple):
    """One step: its text, and what is bound to its numbered parameters."""

    text: str
    values: list[Any]


class Batches:
    """Widens statements, and remembers how: a text that stays the same stays prepared."""

    def __init__(self) -> None:
        """Know none yet."""
        self._texts: dict[tuple[str, int], str] = {}

    def steps(
        self,
        query: Query,
        args: Mapping[str, Any],
        columns: tuple[str, ...],
        rows: Sequence[tuple[Any, ...]],
    ) -> Iterator[Step]:
        """The steps that run the statement for these rows."""
        shared = [args[name] for name in query.parameters if name not in columns]
        for start in range(0, len(rows), WIDEST):
            some = rows[start : start + WIDEST]
            width = 1 << (len(some) - 1).bit_length()
            # A width that is not a power of two is filled up with nothing, which each file leaves
            # out or which matches no row: ten texts to prepare instead of 512.
            nothing = [None] * (len(columns) * (width - len(some)))
            yield Step(
                self._text(query, columns, width), [*shared, *chain.from_iterable(some), *nothing]
            )

    def _text(self, query: Query, columns: tuple[str, ...], width: int) -> str:
        place = (query.name, width)
        if place not in self._texts:
            self._texts[place] = widened(query, columns, width)
        return self._texts[place]


def widened(query: Query, columns: tuple[str, ...], width: int) -> str:
    """The statement with its `values (…)` group repeated, and its parameters numbered."""
    group = GROUP.search(query.text)
    if group is None or tuple(PARAMETER.findall(group[1])) != columns:
        raise ValueError(f"{query.name}.sql has no group `values ({', '.join(columns)})`")
    shared = [name for name in query.parameters if name not in columns]
    place = {name: f"?{n}" for n, name in enumerate(shared, 1)}
    before = PARAMETER.sub(lambda match: place[match[1]], query.text[: group.start()])
    after = PARAMETER.sub(lambda match: place[match[1]], query.text[group.end() :])
    size = len(columns)
    groups = (
        ", ".join(f"?{len(shared) + row * size + n}" for n in range(1, size + 1))
        for row in range(width)
    )
    return f"{before}values {', '.join(f'({one})' for one in groups)}{after}"
