"""The database of a simulated fleet: the shipped statements on SQLite, over lines that break.

The shipped `Writer`, `Session`, operations and files do the work. Only what lies between a process
and the database is simulated: a thread and its queue, or a network.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, TypeVar

from tests.simulation.audit import EFFECTS, SAID, AuditedConnection, Commit, triggers
from tests.simulation.kernel import Kernel, Loop
from windlass.clock import Clock
from windlass.core.errors import Busy, StoreAway
from windlass.store import migrate
from windlass.store.busy import Patience
from windlass.store.migrate_sqlite import SqliteMigrator
from windlass.store.queries import Queries, shipped
from windlass.store.script import Rows, Script, Statement
from windlass.store.sqlite import SqliteDatabase
from windlass.store.sqlite_batches import Batches
from windlass.store.sqlite_commands import Command, Work
from windlass.store.sqlite_operations import OPERATIONS
from windlass.store.sqlite_session import Dialect, Operation, Session, keep_apart
from windlass.store.sqlite_writer import Connected, Reader, Writer

T = TypeVar("T")

# How soon a caller learns that nobody answers.
REFUSED_AFTER = 0.05
GROUP = 128
# The statement that keeps one job.
ALONE = "enqueue_one"


class Fate(NamedTuple):
    """What becomes of one request."""

    lands: float | None  # seconds until it is carried out; never if None
    answers: float | None = None  # seconds from then until the answer; lost if None
    told: float = REFUSED_AFTER  # seconds until a caller without an answer hears of it
    ambiguous: bool = False
    busy: bool = False


class Weather(Protocol):
    """Decides what becomes of requests."""

    def fate(self, process: Any, name: str) -> Fate:
        """What becomes of this one."""
        ...

    def lands(self, process: Any, name: str) -> bool:
        """Whether it still arrives, now that it is carried out."""
        ...


class Surroundings(Protocol):
    """The world around a database."""

    @property
    def kernel(self) -> Kernel:
        """Its time."""
        ...

    @property
    def clock(self) -> Clock:
        """The database's own time."""
        ...

    @property
    def weather(self) -> Weather:
        """What lies between it and its users."""
        ...

    def committed(self, commit: Commit) -> None:
        """Hear of a transaction."""
        ...

    def reached(self, what: str) -> None:
        """Count a case that a batch of worlds must come to."""
        ...


class Overheard(dict[str, Operation]):
    """The shipped operations, which say into the audit what was presented to them."""

    def __init__(self, connection: AuditedConnection, operations: Mapping[str, Operation]) -> None:
        super().__init__({name: self._hearing(one) for name, one in operations.items()})
        self._connection = connection

    def get(self, name: str, default: Any = None) -> Any:
        """The operation of this name; every statement asks for one."""
        found = super().get(name, default)
        if found is None:
            self._connection.rows.append((SAID, name, None))
        return found

    def _hearing(self, operation: Operation) -> Operation:
        def heard(session: Session, statement: Statement) -> Rows:
            pairs = {row[0]: row[1] for row in statement.rows} if statement.columns else None
            said = (pairs, statement.args.get("worker"))
            self._connection.rows.append((SAID, statement.name, said))
            return operation(session, statement)

        return heard


class Storage:
    """One SQLite in memory, kept from world to world: its statements stay prepared."""

    def __init__(self) -> None:
        self.connection = _migrated()
        self.connection.execute(EFFECTS)
        for trigger in triggers():
            self.connection.execute(trigger)
        self.queries = shipped("sqlite")
        self._fresh = {table: self._rows(table) for table in self._tables()}

    def empty(self) -> None:
        """Begin anew, with what the migrations put there."""
        for table in self._fresh:
            self.connection.execute(f"delete from {table}")  # noqa: S608 — names of our own tables
        for table, rows in self._fresh.items():
            for row in rows:
                marks = ", ".join("?" * len(row))
                self.connection.execute(f"insert into {table} values ({marks})", row)  # noqa: S608
        self.connection.rows.clear()

    def _tables(self) -> list[str]:
        found = self.connection.execute(
            "select name from sqlite_master where type = 'table' order by name"
        )
        return [name for (name,) in found]

    def _rows(self, table: str) -> list[tuple[Any, ...]]:
        return self.connection.execute(f"select * from {table}").fetchall()  # noqa: S608


def _migrated() -> AuditedConnection:
    connection = sqlite3.connect(
        ":memory:", isolation_level=None, cached_statements=1_000, factory=AuditedConnection
    )
    connection.execute("pragma foreign_keys = on")
    connection.execute("pragma temp_store = memory")
    connection.execute("pragma synchronous = off")

    class Once(SqliteDatabase):
        """Migrates the connection that is there."""

        async def perform(self, work: Work[T]) -> T:
            return work(Session(connection, 0, Dialect({})))

    clock: Any = None
    database = Once(":memory:", clock=clock, chance=clock, inline=True)
    asyncio.run(migrate.up(SqliteMigrator(database)))
    return connection


class Server:
    """The database of one world, as it stands at the other end of every line."""

    def __init__(
        self,
        storage: Storage,
        around: Surroundings,
        *,
        queries: Queries | None = None,
        operations: Mapping[str, Operation] = OPERATIONS,
    ) -> None:
        storage.empty()
        self.around = around
        self.kernel = around.kernel
        self.weather = around.weather
        self.clock = around.clock
        self._committed = around.committed
        self.connection = storage.connection
        batches = _BATCHES.setdefault(id(queries), Batches())
        overheard = Overheard(self.connection, operations)
        dialect = Dialect(overheard, queries or storage.queries, batches)
        self.dialect = dialect
        connected = Connected(lambda: self.connection)
        nobody: Any = None
        patience = Patience(self.clock, nobody)
        self._writer = Writer(connected, dialect, self.clock, patience)
        self._reader = Reader(connected, dialect, self.clock, patience)

    def perform(self, process: str, commands: list[Command[Any]]) -> None:
        """Carry commands out in one transaction, and tell of it."""
        self._writer.perform(commands)
        if (SAID, "enqueue_again", None) in self.connection.rows:
            self._sent_again()
        rows = self.connection.taken()
        if rows:
            self._committed(Commit(process, self.clock.now_us(), rows))

    def keep(self, session: Session, statement: Statement) -> Rows:
        """Keep a job that came alone, as a thread without a loop does."""
        self.connection.rows.append((SAID, statement.name, None))
        keep_apart(session.connection, session.dialect, {**statement.args, "now": session.now})
        return []

    def _sent_again(self) -> None:
        kept = any(row[:2] == ("windlass_jobs", "insert") for row in self.connection.rows)
        self.around.reached(f"ambiguous enqueue: was {'not ' if kept else ''}applied")

    def answer(self, commands: list[Command[Any]]) -> None:
        """Answer questions, outside of any transaction."""
        self._reader.perform(commands)
        self.connection.rows.clear()


# Widened statements are the same in every world that has the same statements.
_BATCHES: dict[int, Batches] = {}


class Line:
    """How one process reaches the database: `Database` as the store knows it.

    With `shared` commands queue up and share transactions, as at the writer of a file; else each
    goes by itself, as over the connections of a pool.
    """

    def __init__(self, server: Server, process: Any, loop: Loop, *, shared: bool) -> None:
        self._server = server
        self._kernel = server.kernel
        self.process = process
        self._loop = loop
        self._shared = shared
        self._queue: deque[tuple[str, Command[Any]]] = deque()
        self._busy = False

    async def read(self, statement: Statement) -> Rows:
        """Answer a question; it changes nothing but that who came alone stands in line."""
        name = statement.name
        answer = await self._ask(
            name, lambda session: None if session.newcomers() else session.answer(statement)
        )
        if answer is None:
            await self._do("line_up", Session.lined_up)
            answer = await self._ask(name, lambda session: session.answer(statement))
        return answer

    async def survey(self, statement: Statement) -> Rows:
        """Answer a question about everything there is."""
        return await self.read(statement)

    async def write(self, statement: Statement) -> Rows:
        """Run one statement as a transaction of its own; who comes alone is kept apart."""
        if statement.name == ALONE:
            return await self._do(ALONE, lambda session: self._server.keep(session, statement))
        return await self._do(statement.name, lambda session: session.lined_up().answer(statement))

    async def run(self, script: Script[T]) -> T:
        """Run a script as one transaction."""
        name = getattr(script, "__name__", "script")
        return await self._do(name, lambda session: session.lined_up().drive(script))

    async def perform(self, work: Work[T]) -> T:
        """Run what neither can express."""
        return await self._do("effects", work, alone=True)

    async def close(self) -> None:
        """Nothing is open."""

    async def _ask(self, name: str, work: Work[T]) -> T:
        command = Command(work, self._loop)
        self._send(name, [command], reads=True)
        return await command.delivered()

    async def _do(self, name: str, work: Work[T], *, alone: bool = False) -> T:
        command = Command(work, self._loop, alone=alone)
        if self._shared:
            self._queue.append((name, command))
            if not self._busy:
                self._next()
        else:
            self._send(name, [command])
        return await command.delivered()

    # --- on the way -------------------------------------------------------------------------------

    def _next(self) -> None:
        """Send what has piled up; as `ThreadHands` does it."""
        batch: list[Command[Any]] = []
        names: list[str] = []
        while self._queue and len(batch) < GROUP:
            if batch and self._queue[0][1].alone:
                break
            name, command = self._queue.popleft()
            if command.given_up:
                continue
            batch.append(command)
            names.append(name)
            if command.alone:
                break
        self._busy = bool(batch)
        if batch:
            self._send(" ".join(names), batch)

    def _send(self, name: str, batch: list[Command[Any]], *, reads: bool = False) -> None:
        fate = self._server.weather.fate(self.process, name)
        if fate.lands is not None:
            land = self._read if reads else self._land
            self._kernel.at(fate.lands, land, name, batch, fate)
        if fate.lands is None or fate.answers is None:
            problem = _problem(name, fate)
            tell = self._tell if reads else self._deliver
            self._loop.post_in(fate.told, tell, batch, problem)

    def _read(self, _name: str, batch: list[Command[Any]], fate: Fate) -> None:
        if fate.answers is not None:
            self._server.answer(batch)
            self._loop.post_in(fate.answers, self._tell, batch, None)

    def _land(self, name: str, batch: list[Command[Any]], fate: Fate) -> None:
        if fate.answers is None:
            self.process.hurt(renewing=False)
            batch = [Command(one.work) for one in batch]  # its answers go nowhere
        if not self._server.weather.lands(self.process, name):
            return
        self._server.perform(self.process.name, batch)
        if fate.answers is not None:
            self._loop.post_in(fate.answers, self._deliver, batch, None)

    def _deliver(self, batch: list[Command[Any]], problem: Exception | None) -> None:
        self._tell(batch, problem)
        if self._shared:
            self._next()

    def _tell(self, batch: list[Command[Any]], problem: Exception | None) -> None:
        for command in batch:
            if problem is not None:
                command.fail(problem)
            command.deliver()


def _problem(name: str, fate: Fate) -> Exception:
    if fate.busy:
        return Busy("another process held the database for too long")
    return StoreAway(f"nobody answered to {name}", ambiguous=fate.ambiguous)
