"""Statements about many rows, run in as few steps as SQLite allows.

Python gives the interpreter lock away at every step of a statement, and while the event loop is
busy getting it back takes up to 5 ms: 500 rows one by one came to 1,900 a second, in one step to
50,000. So a file says `values (:id, :fence)` for one row, and for many rows that group is repeated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

from windlass.store.queries import PARAMETER, Query

GROUP = re.compile(r"\bvalues\s*\((\s*:[^)]*)\)")
WIDEST = 512


class Step(NamedTuple):
    """One step: its text, and what is bound to its parameters."""

    text: str
    values: list[Any]


class Batches:
    """Widens statements, and remembers how: a text that stays the same stays prepared."""

    def __init__(self) -> None:
        """Know none yet."""
        self._after: dict[str, list[str]] = {}  # parameters after the group, as often as used
        self._texts: dict[tuple[str, int, tuple[int, ...]], str] = {}

    def steps(
        self,
        query: Query,
        args: Mapping[str, Any],
        columns: tuple[str, ...],
        rows: Sequence[tuple[Any, ...]],
    ) -> Iterator[Step]:
        """The steps that run the statement for these rows."""
        shared = [args[name] for name in self._shared(query)]
        for start in range(0, len(rows), WIDEST):
            some = rows[start : start + WIDEST]
            # A width that is not a power of two is filled up with rows without an id, which each
            # file leaves out or which match nothing: ten texts to prepare instead of 512.
            width = 1 << (len(some) - 1).bit_length()
            filled = [*some, *[(None,) + (0,) * (len(columns) - 1)] * (width - len(some))]
            used = _used(some)
            values = map(itemgetter(*used), filled)
            flat = chain.from_iterable(values) if len(used) > 1 else values
            yield Step(self._text(query, columns, width, used), [*flat, *shared])

    def _shared(self, query: Query) -> list[str]:
        if query.name not in self._after:
            self._after[query.name] = PARAMETER.findall(query.text[_group(query).end() :])
        return self._after[query.name]

    def _text(
        self, query: Query, columns: tuple[str, ...], width: int, used: tuple[int, ...]
    ) -> str:
        place = (query.name, width, used)
        if place not in self._texts:
            self._texts[place] = widened(query, columns, width, used)
        return self._texts[place]


def _used(rows: Sequence[tuple[Any, ...]]) -> tuple[int, ...]:
    """The columns that say something; binding nothing costs more than binding a number."""
    size = len(rows)
    return tuple(
        place
        for place, column in enumerate(zip(*rows, strict=True))
        if not place or column.count(None) < size
    )


def widened(query: Query, columns: tuple[str, ...], width: int, used: Sequence[int]) -> str:
    """The statement with its `values (…)` group repeated, and null for columns that are not used.

    All parameters are plain `?`, in their order: among thousands of numbered ones, SQLite and
    Python look each up from the first.
    """
    group = _group(query)
    if tuple(PARAMETER.findall(group[1])) != columns:
        raise ValueError(f"{query.name}.sql has no group `values ({', '.join(columns)})`")
    if PARAMETER.search(query.text[: group.start()]):
        raise ValueError(f"{query.name}.sql has a parameter before its `values`")
    row = ", ".join("?" if place in used else "null" for place in range(len(columns)))
    rows = ", ".join([f"({row})"] * width)
    after = PARAMETER.sub("?", query.text[group.end() :])
    return f"{query.text[: group.start()]}values {rows}{after}"


def _group(query: Query) -> re.Match[str]:
    group = GROUP.search(query.text)
    if group is None:
        raise ValueError(f"{query.name}.sql has no group `values (…)`")
    return group
