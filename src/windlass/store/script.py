"""A transaction as a value: statements that a database runs in order, all or nothing.

An operation of the store is written once, as a generator that yields statements and is sent their
rows. PostgreSQL drives it over a connection, SQLite on its writer's thread, a caller's own
connection inside the caller's transaction, a simulator in virtual time.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

T = TypeVar("T")

Row: TypeAlias = Any
Rows: TypeAlias = Sequence[Any]


class Statement(NamedTuple):
    """One .sql file and what goes into it.

    `columns` and `rows` say a statement about many rows at once. PostgreSQL gets each column as an
    array named like the column. For SQLite the file says `values (:id, …)` with the columns in
    their order, which is repeated for each row; such a statement answers with nothing there.
    """

    name: str
    args: Mapping[str, Any] = {}
    columns: tuple[str, ...] = ()
    rows: Sequence[tuple[Any, ...]] = ()


Script: TypeAlias = Generator[Statement, Rows, T]
