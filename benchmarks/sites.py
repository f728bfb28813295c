"""Fresh databases to measure on, as durable as in earnest, and removed afterwards."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from importlib import resources
from pathlib import Path
from typing import Any, ClassVar, LiteralString, Self

import psycopg

from benchmarks.figure import Dialect
from tests.services import PostgresServer
from windlass.clock import SystemChance, SystemClock
from windlass.store.base import Database
from windlass.store.filesystems import kind_of
from windlass.store.postgres import PostgresDatabase
from windlass.store.sqlite import SqliteDatabase

# Nothing is gained by weaker commits: a figure that was is none.
POSTGRES_SETTINGS = {
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "shared_buffers": "256MB",
}
IN_MEMORY = frozenset({"tmpfs", "ramfs"})
CACHE = Path(__file__).parents[1] / ".cache"


class Site(ABC):
    """A database with the tables of Windlass and nothing in them."""

    dialect: ClassVar[Dialect]

    def __init__(self, url: str) -> None:
        self.url = url

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    @abstractmethod
    def database(self, *, inline: bool = False) -> Database:
        """The way in that a scheduler would take; `inline` without a thread in between."""

    @abstractmethod
    def ask(self, query: LiteralString) -> list[tuple[Any, ...]]:
        """Run statements beside Windlass, and answer with the rows of the last one."""

    @abstractmethod
    def settle_down(self, *, analyze: bool = True) -> None:
        """Do now what the database would else do at some moment of the measure."""

    @abstractmethod
    def remove(self) -> None:
        """Leave nothing behind."""

    @asynccontextmanager
    async def open(self, *, inline: bool = False) -> AsyncIterator[Database]:
        """The database, closed afterwards."""
        database = self.database(inline=inline)
        try:
            yield database
        finally:
            await database.close()


class PostgresSite(Site):
    """A database of the PostgreSQL that this run started."""

    dialect = Dialect.POSTGRES

    def __init__(self, server: PostgresServer) -> None:
        super().__init__(server.create_database())
        self._server = server
        with psycopg.connect(self.url, autocommit=True) as connection:
            for text in migrations(self.dialect):
                connection.execute(text.encode())

    def database(self, *, inline: bool = False) -> PostgresDatabase:
        """The way in that a scheduler would take; it has no thread of its own."""
        del inline
        return PostgresDatabase(self.url)

    def ask(self, query: LiteralString) -> list[tuple[Any, ...]]:
        """Run statements beside Windlass, and answer with the rows of the last one."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(query)
            return cursor.fetchall() if cursor.description else []

    def settle_down(self, *, analyze: bool = True) -> None:
        """Vacuum and checkpoint, as the peers' databases were before their drains."""
        self.ask("vacuum (analyze)" if analyze else "vacuum")
        self.ask("checkpoint")

    def remove(self) -> None:
        """Drop the database."""
        self._server.drop_database(self.url)


class SqliteSite(Site):
    """A file in a folder of its own."""

    dialect = Dialect.SQLITE

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="windlass-bench-"))
        self.path = self._folder / "windlass.db"
        super().__init__(f"sqlite:///{self.path}")
        with sqlite3.connect(self.path) as connection:
            connection.execute("pragma journal_mode = wal")
            for text in migrations(self.dialect):
                connection.executescript(text)
        connection.close()

    def database(self, *, inline: bool = False) -> SqliteDatabase:
        """The way in that a scheduler would take."""
        clock, chance = SystemClock(), SystemChance()
        return SqliteDatabase(self.path, clock=clock, chance=chance, inline=inline)

    def ask(self, query: LiteralString) -> list[tuple[Any, ...]]:
        """Run one statement beside Windlass, and answer with its rows."""
        connection = sqlite3.connect(self.path, timeout=10, isolation_level=None)
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()

    def settle_down(self, *, analyze: bool = True) -> None:
        """Fold the write-ahead log into the file; Windlass takes no statistics here."""
        del analyze
        self.ask("pragma wal_checkpoint(truncate)")

    def remove(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self._folder)


class Sites:
    """Where the databases of a run come from; closes what it opened."""

    def __init__(self, dialects: Sequence[Dialect]) -> None:
        self._open = ExitStack()
        self._dialects = dialects
        self.folder = use_a_disk()
        self.postgres: PostgresServer | None = None

    def __enter__(self) -> Self:
        if Dialect.POSTGRES in self._dialects:
            self.postgres = self._open.enter_context(PostgresServer(POSTGRES_SETTINGS))
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def fresh(self, dialect: Dialect) -> Site:
        """An empty database."""
        match dialect:
            case Dialect.POSTGRES if self.postgres is not None:
                return PostgresSite(self.postgres)
            case Dialect.SQLITE:
                return SqliteSite()
            case _:
                raise LookupError(f"{dialect.label} was not asked for")


def migrations(dialect: Dialect) -> list[str]:
    """The statements that make the tables."""
    folder = resources.files("windlass.store") / "migrations" / dialect.value
    files = sorted(folder.iterdir(), key=lambda file: file.name)
    return [file.read_text("utf-8") for file in files if file.name.endswith(".up.sql")]


def use_a_disk() -> Path:
    """Put temporary folders where a commit has to reach a disk, if there is such a place."""
    CACHE.mkdir(exist_ok=True)
    places = [Path(tempfile.gettempdir()), Path("/var/tmp"), CACHE]  # noqa: S108
    for place in places:
        if place.is_dir() and kind_of(place) not in IN_MEMORY:
            tempfile.tempdir = str(place)
            return place
    return places[0]
