"""Fresh databases to measure on, as durable as in earnest, and removed afterwards."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, ClassVar, Self

import psycopg

from benchmarks import processes
from benchmarks.figure import Dialect
from tests.services import PostgresServer
from tests.services.server import LEASH
from windlass.clock import SystemChance, SystemClock
from windlass.store.base import Database
from windlass.store.filesystems import kind_of
from windlass.store.postgres import PostgresDatabase
from windlass.store.sqlite import SqliteDatabase
from windlass.wiring import migrate

# Nothing is gained by weaker commits: a figure that was is none.
POSTGRES_SETTINGS = {
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "shared_buffers": "256MB",
    # Costs nothing before a measure wants to know what the database was asked.
    "shared_preload_libraries": "pg_stat_statements",
    "pg_stat_statements.track": "none",
}
IN_MEMORY = frozenset({"tmpfs", "ramfs"})
CACHE = Path(__file__).parents[1] / ".cache"
SQL = Path(__file__).with_name("sql")


class Site(ABC):
    """A database with the tables of Windlass."""

    dialect: ClassVar[Dialect]

    def __init__(self, url: str) -> None:
        self.url = url

    @abstractmethod
    def database(self, *, inline: bool = False) -> Database:
        """The way in that a scheduler would take; `inline` without a thread in between."""

    @abstractmethod
    def ask(self, query: str) -> list[tuple[Any, ...]]:
        """Run one statement beside Windlass, and answer with its rows."""

    def ask_file(self, name: str, **values: str) -> list[tuple[Any, ...]]:
        """Run the statement of this name in the words of this database."""
        text = (SQL / self.dialect / f"{name}.sql").read_text("utf-8")
        for parameter, value in values.items():
            text = text.replace(f":{parameter}", f"'{value}'")
        return self.ask(text)

    @abstractmethod
    def settle_down(self) -> None:
        """Do now what the database would else do at some moment of the measure."""

    @abstractmethod
    def copy(self) -> AbstractContextManager[Site]:
        """Another with the same content, removed afterwards; nobody may be at work in this one."""

    @abstractmethod
    def cpu(self) -> float:
        """Seconds that the database's own processes have worked so far."""

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

    def __init__(self, server: PostgresServer, template: str = "template1") -> None:
        super().__init__(server.create_database(template))
        self._server = server
        self._open = ExitStack()
        self._connection: psycopg.Connection | None = None

    def database(self, *, inline: bool = False) -> PostgresDatabase:
        """The way in that a scheduler would take; it has no thread of its own."""
        del inline
        return PostgresDatabase(self.url)

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        """Run one statement beside Windlass, and answer with its rows."""
        if self._connection is None:
            # One for all questions: to open another costs PostgreSQL as much as a hundred jobs.
            connection = psycopg.connect(self.url, autocommit=True, prepare_threshold=None)
            self._connection = self._open.enter_context(connection)
        cursor = self._connection.execute(query.encode())
        return cursor.fetchall() if cursor.description else []

    def settle_down(self) -> None:
        """Vacuum and checkpoint, as the peers' databases were before their drains."""
        self.ask("vacuum (analyze)")
        self.ask("checkpoint")

    @contextmanager
    def copy(self) -> Iterator[Site]:
        """Another with the same content."""
        self._hang_up()
        copy = PostgresSite(self._server, self.url.rsplit("/", 1)[1])
        try:
            yield copy
        finally:
            copy.remove()

    def cpu(self) -> float:
        """The time of every process of the server, and of those that it has seen end."""
        return processes.cpu(self._server.pid)

    def remove(self) -> None:
        """Drop the database."""
        self._hang_up()
        self._server.drop_database(self.url)

    def _hang_up(self) -> None:
        self._open.close()
        self._connection = None


class SqliteSite(Site):
    """A file in a folder of its own."""

    dialect = Dialect.SQLITE

    def __init__(self, within: Path) -> None:
        self._folder = Path(tempfile.mkdtemp(dir=within))
        self.path = self._folder / "windlass.db"
        super().__init__(f"sqlite:///{self.path}")

    def database(self, *, inline: bool = False) -> SqliteDatabase:
        """The way in that a scheduler would take."""
        clock, chance = SystemClock(), SystemChance()
        return SqliteDatabase(self.path, clock=clock, chance=chance, inline=inline)

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        """Run one statement beside Windlass, and answer with its rows."""
        connection = sqlite3.connect(self.path, timeout=10, isolation_level=None)
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()

    def settle_down(self) -> None:
        """Fold the write-ahead log into the file; Windlass takes no statistics here."""
        self.ask("pragma wal_checkpoint(truncate)")

    @contextmanager
    def copy(self) -> Iterator[Site]:
        """Another with the same content."""
        copy = SqliteSite(self._folder.parent)
        self.settle_down()
        shutil.copyfile(self.path, copy.path)
        try:
            yield copy
        finally:
            copy.remove()

    def cpu(self) -> float:
        """None: it has no process of its own."""
        return 0.0

    def remove(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self._folder)


class Sites:
    """Where the databases of a run come from; closes what it opened."""

    def __init__(self, dialects: Sequence[Dialect]) -> None:
        self._open = ExitStack()
        self._dialects = dialects
        self.disk = use_a_disk()
        self.postgres: PostgresServer | None = None

    def __enter__(self) -> Self:
        self._folder = self._open.enter_context(leashed_folder())
        if Dialect.POSTGRES in self._dialects:
            self.postgres = self._open.enter_context(PostgresServer(POSTGRES_SETTINGS))
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    @asynccontextmanager
    async def fresh(self, dialect: Dialect) -> AsyncIterator[Site]:
        """A database with empty tables, removed afterwards."""
        site = self._made(dialect)
        try:
            await migrate(site.url)
            yield site
        finally:
            site.remove()

    def _made(self, dialect: Dialect) -> Site:
        if dialect is Dialect.SQLITE:
            return SqliteSite(self._folder)
        if self.postgres is None:
            raise LookupError("this run was not asked to start PostgreSQL")
        return PostgresSite(self.postgres)


@contextmanager
def leashed_folder() -> Iterator[Path]:
    """A folder that is removed afterwards, even if this process is killed."""
    folder = Path(tempfile.mkdtemp(prefix="windlass-bench-"))
    command: list[str | Path] = [sys.executable, "-IS", LEASH, folder, str(int(signal.SIGTERM))]
    with subprocess.Popen(command, cwd="/", stdin=subprocess.PIPE, start_new_session=True):
        yield folder


def use_a_disk() -> Path:
    """Put temporary folders where a commit has to reach a disk, if there is such a place."""
    CACHE.mkdir(exist_ok=True)
    places = [Path(tempfile.gettempdir()), Path("/var/tmp"), CACHE]  # noqa: S108
    for place in places:
        if place.is_dir() and kind_of(place) not in IN_MEMORY:
            tempfile.tempdir = str(place)
            return place
    return places[0]
