"""Connections that belong to the caller: how each library runs a statement, and in what words.

A library is known by the module of its connection, so that none is imported that is not in use.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from enum import Enum, auto
from typing import Any, Protocol, TypeAlias

from windlass.core.errors import BadInput
from windlass.store.script import Rows

Args: TypeAlias = Mapping[str, Any] | Sequence[Any] | None


class Style(Enum):
    """How a statement's arguments are written."""

    NUMBERED = auto()  # $1, and a sequence
    FORMATTED = auto()  # %(name)s, and a mapping
    SQLITE = auto()  # :name and a mapping, or ? and a sequence


class Driver(Protocol):
    """Runs statements on a connection of the caller's."""

    @property
    def dialect(self) -> str:
        """What the database speaks."""
        ...

    @property
    def style(self) -> Style:
        """How it takes arguments."""
        ...

    @property
    def waits(self) -> bool:
        """Whether it needs an event loop."""
        ...

    async def run(self, text: str, args: Args = None) -> Rows:
        """Run one statement; rows are read by the names of their columns."""
        ...

    async def in_transaction(self) -> bool:
        """Whether statements are part of a transaction that the caller will end."""
        ...


def driver_of(connection: Any) -> Driver:
    """The driver for a connection, or a clear error."""
    for kind in type(connection).__mro__:
        library = kind.__module__.partition(".")[0]
        driver = DRIVERS.get(kind.__module__) or DRIVERS.get(library)
        if driver is not None:
            return driver(connection)
    raise BadInput(
        f"connection= cannot be a {type(connection).__module__}.{type(connection).__qualname__};"
        " it can be what ctx.transaction() gives, or a connection of asyncpg, psycopg 3, SQLAlchemy"
        " (also a session), Django, sqlite3 or aiosqlite"
    )


class Asyncpg:
    """asyncpg, also by way of a pool."""

    dialect = "postgres"
    style = Style.NUMBERED
    waits = True

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def run(self, text: str, args: Args = None) -> Rows:
        """Run one statement."""
        rows: Rows = await self._connection.fetch(text, *(args or ()))
        return rows

    async def in_transaction(self) -> bool:
        """Whether the caller has begun one."""
        return bool(self._connection.is_in_transaction())


class Psycopg:
    """psycopg 3, plain or async."""

    dialect = "postgres"
    style = Style.FORMATTED

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.waits = inspect.iscoroutinefunction(connection.execute)

    async def run(self, text: str, args: Args = None) -> Rows:
        """Run one statement."""
        # Rows of our own kind, whatever the connection makes of them for its owner.
        rows = sys.modules["psycopg.rows"].dict_row
        cursor = self._connection.cursor(row_factory=rows)
        await _done(cursor.execute(text, args))
        found: Rows = await _done(cursor.fetchall()) if cursor.description else []
        await _done(cursor.close())
        return found

    async def in_transaction(self) -> bool:
        """Whether the caller has begun one, or psycopg will at the first statement."""
        idle = sys.modules["psycopg"].pq.TransactionStatus.IDLE
        status = self._connection.info.transaction_status
        return not self._connection.autocommit or status != idle


class Sqlite:
    """sqlite3, and aiosqlite, which has the same methods with `await`."""

    dialect = "sqlite"
    style = Style.SQLITE

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.waits = inspect.iscoroutinefunction(connection.commit)

    async def run(self, text: str, args: Args = None) -> Rows:
        """Run one statement."""
        cursor = await _done(self._connection.execute(text, args or ()))
        names = [column[0] for column in cursor.description or ()]
        found = await _done(cursor.fetchall())
        await _done(cursor.close())
        return [dict(zip(names, row, strict=True)) for row in found]

    async def in_transaction(self) -> bool:
        """Whether the caller has begun one, or means to; then it is begun."""
        if self._connection.isolation_level is not None and not self._connection.in_transaction:
            # Python begins one at an INSERT, but does not see the INSERT behind a WITH.
            await self.run("begin")
        return bool(self._connection.in_transaction)


class Lent:
    """The connection of our own writer, while `ctx.transaction()` lends it to a handler."""

    dialect = "sqlite"
    style = Style.SQLITE

    def __init__(self, turn: Any) -> None:
        self._turn = turn
        self.waits = inspect.iscoroutinefunction(turn.execute)

    async def run(self, text: str, args: Args = None) -> Rows:
        """Run one statement."""
        return [dict(row) for row in await _done(self._turn.execute(text, args or ()))]

    async def in_transaction(self) -> bool:
        """Whatever it is lent for is one."""
        return True


class SqlAlchemy:
    """SQLAlchemy's connection or session, plain or async, over any of the other libraries."""

    def __init__(self, connection: Any) -> None:
        self._given = connection
        self._session = hasattr(connection, "get_bind")
        dialect = (connection.get_bind() if self._session else connection).dialect
        self.dialect = "postgres" if dialect.name == "postgresql" else str(dialect.name)
        self.style = self._style(dialect.driver)
        self.waits = hasattr(connection, "run_sync")

    async def run(self, text: str, args: Args = None) -> Rows:
        """Run one statement, in the transaction that SQLAlchemy begins."""

        def act(connection: Any) -> Rows:
            result = connection.exec_driver_sql(text, args)
            return result.mappings().all() if result.returns_rows else []

        rows: Rows = await self._on_connection(act)
        return rows

    async def in_transaction(self) -> bool:
        """SQLAlchemy always begins one, though on SQLite it leaves that to Python."""
        if self.dialect != "sqlite":
            return True

        def raw(connection: Any) -> Any:
            return connection.connection.driver_connection

        return await Sqlite(await self._on_connection(raw)).in_transaction()

    async def _on_connection(self, act: Callable[[Any], Any]) -> Any:
        connection = await _done(self._given.connection()) if self._session else self._given
        if hasattr(connection, "run_sync"):
            return await connection.run_sync(act)
        return act(connection)

    def _style(self, driver: str) -> Style:
        if self.dialect == "sqlite":
            return Style.SQLITE
        return Style.NUMBERED if driver == "asyncpg" else Style.FORMATTED


def _of_django(wrapper: Any) -> Driver:
    """Django keeps a plain connection of psycopg or sqlite3, and its transactions are theirs."""
    wrapper.ensure_connection()
    return driver_of(wrapper.connection)


DRIVERS: dict[str, Callable[[Any], Driver]] = {
    "asyncpg": Asyncpg,
    "psycopg": Psycopg,
    "sqlalchemy": SqlAlchemy,
    "django": _of_django,
    "sqlite3": Sqlite,
    "aiosqlite": Sqlite,
    "windlass.store.sqlite_effects": Lent,
}


async def _done(answer: Any) -> Any:
    """The answer of a method that may be plain or async."""
    return await answer if inspect.isawaitable(answer) else answer
