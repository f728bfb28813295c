"""Runs statements on a connection to SQLite, for the length of one command."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

import msgspec
from msgspec import Struct, field

from windlass.core.errors import AlreadyKept
from windlass.store.queries import Queries, shipped
from windlass.store.script import Rows, Script, Statement
from windlass.store.sqlite_batches import Batches

T = TypeVar("T")

LISTS = (list, tuple)


class Changed(NamedTuple):
    """How many rows a statement changed, and the rowid of the last one it inserted."""

    rows: int
    last: int


class Dialect(Struct, frozen=True):
    """What all sessions share: the statements, and who stands in for some of them."""

    operations: Mapping[str, Operation]
    queries: Queries = field(default_factory=lambda: shipped("sqlite"))
    batches: Batches = field(default_factory=Batches)


class Session(NamedTuple):
    """A connection at one moment: `now` is the same for all statements of a command."""

    connection: sqlite3.Connection
    now: int
    dialect: Dialect

    def newcomers(self) -> bool:
        """Whether there are jobs that came alone and stand in no line yet."""
        found = self.connection.execute(self.dialect.queries["newcomer"].text)
        return found.fetchone() is not None

    def lined_up(self) -> Session:
        """The same, once every job that came alone stands in line: to be asked by who writes."""
        if self.newcomers():
            self.connection.execute(self.dialect.queries["line_up"].text)
            self.connection.execute(self.dialect.queries["line_up.gone"].text)
        return self

    def foresee(self, statement: Statement) -> Rows:
        """Answer as if they stood in line, and change nothing: in a transaction of its own."""
        answer = self.lined_up().answer(statement)
        self.connection.execute("rollback")
        return answer

    def drive(self, script: Script[T]) -> T:
        """Run a script to its end."""
        rows: Rows | None = None
        while True:
            try:
                statement = next(script) if rows is None else script.send(rows)
            except StopIteration as stop:
                return cast("T", stop.value)
            try:
                rows = self.answer(statement)
            except BaseException:
                script.close()
                raise

    def answer(self, statement: Statement) -> Rows:
        """Run a statement of the store, whether it takes one file here or several."""
        operation = self.dialect.operations.get(statement.name)
        if operation is not None:
            return operation(self, statement)
        if statement.columns:
            self.change(statement)
            return []
        return self.rows(statement.name, statement.args)

    def rows(self, name: str, args: Mapping[str, Any]) -> Rows:
        """Run one file and answer with its rows.

        A hot one answers with a single column `rows` of JSON, since each row would cost a step.
        """
        cursor = self._cursor()
        cursor.execute(self.dialect.queries[name].text, self._bound(args))
        if cursor.description is None:
            return []
        found = cursor.fetchall()
        if cursor.description[0][0] == "rows":
            return cast("Rows", msgspec.json.decode(found[0][0]))
        return found

    def change(self, statement: Statement) -> Changed:
        """Run one file, for many rows if it has columns; answer with what it changed."""
        query = self.dialect.queries[statement.name]
        args = self._bound(statement.args)
        cursor = self.connection.cursor()
        # Not the cursor's own count: Python keeps none for a change that begins with `with`.
        before = self.connection.total_changes
        if statement.columns:
            batches = self.dialect.batches
            for step in batches.steps(query, args, statement.columns, statement.rows):
                cursor.execute(step.text, step.values)
        else:
            cursor.execute(query.text, args)
        return Changed(self.connection.total_changes - before, cursor.lastrowid or 0)

    def _cursor(self) -> sqlite3.Cursor:
        cursor = self.connection.cursor()
        # On the cursor, not on the connection, which may be the caller's own.
        cursor.row_factory = sqlite3.Row
        return cursor

    def _bound(self, args: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as SQLite takes them: lists as JSON text, and the time."""
        bound = {**args, "now": self.now}
        for name, value in args.items():
            if isinstance(value, LISTS):
                bound[name] = json(value)
        return bound


def keep_apart(connection: sqlite3.Connection, dialect: Dialect, args: Mapping[str, Any]) -> None:
    """Keep a job that comes alone by one step, of which SQLite makes a transaction by itself."""
    kept = connection.execute(dialect.queries["enqueue_one.apart"].text, args)
    if not kept.rowcount:
        raise AlreadyKept(f"a job with the id {args['id']} is there already")


Operation: TypeAlias = Callable[[Session, Statement], Rows]


def json(value: object) -> str:
    """A list as `json_each` reads it."""
    return msgspec.json.encode(value).decode()
