"""Threads without an event loop write in themselves, and otherwise like everybody else."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.store.without_log import paused_in_the_file
from tests.waiting import until
from windlass.clock import SystemChance, SystemClock
from windlass.core.errors import Busy, StoreAway
from windlass.running import at_once
from windlass.store import migrate
from windlass.store.migrate_sqlite import SqliteMigrator
from windlass.store.script import Statement
from windlass.store.sqlite import SqliteDatabase
from windlass.store.sqlite_commands import Errand
from windlass.store.sqlite_session import Session

T = TypeVar("T")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "windlass.db"


@pytest.fixture
async def database(path: Path) -> AsyncIterator[SqliteDatabase]:
    """One whose thread is awake, since it has just made the tables."""
    database = SqliteDatabase(path, clock=SystemClock(), chance=SystemChance())
    await migrate.up(SqliteMigrator(database))
    yield database
    await database.close()


def pause(queue: str) -> Statement:
    return Statement("pause", {"queue": queue, "by": "ada"})


async def paused(database: SqliteDatabase) -> list[str]:
    return [row["name"] for row in await database.read(Statement("queues", {"bound": 10}))]


def write(database: SqliteDatabase, queue: str) -> None:
    at_once(database.write(pause(queue)))


def perform(database: SqliteDatabase, work: Callable[[Session], T]) -> T:
    return at_once(database.perform(work))


async def test_a_thread_without_a_loop_writes_in_itself(database: SqliteDatabase) -> None:
    def work(session: Session) -> int:
        session.answer(pause("a"))
        return threading.get_ident()

    def ask() -> tuple[bool, int, int]:
        return database.at_once(), threading.get_ident(), perform(database, work)

    free, mine, worked = await asyncio.to_thread(ask)

    assert free
    assert worked == mine
    assert await paused(database) == ["a"]


async def test_who_comes_behind_somebody_waits_its_turn(database: SqliteDatabase) -> None:
    begun, go = threading.Event(), threading.Event()

    def hold_up(_: Session) -> None:
        begun.set()
        assert go.wait(20)

    holding = asyncio.create_task(database.perform(hold_up))
    await asyncio.to_thread(begun.wait)

    free = database.at_once()
    with ThreadPoolExecutor(3) as threads:
        writes = [threads.submit(write, database, name) for name in "abc"]
        await until(lambda: owed(database) == 4)
        go.set()
        await holding

    assert not free
    assert all(one.exception() is None for one in writes)
    assert await paused(database) == ["a", "b", "c"]


async def test_a_loop_waits_while_a_thread_writes_in_itself(database: SqliteDatabase) -> None:
    begun, go = threading.Event(), threading.Event()

    def hold_up(session: Session) -> None:
        session.answer(pause("first"))
        begun.set()
        assert go.wait(20)

    holding = asyncio.create_task(asyncio.to_thread(perform, database, hold_up))
    await asyncio.to_thread(begun.wait)
    second = asyncio.create_task(database.write(pause("second")))
    await until(lambda: owed(database) == 1)
    seen = await paused(database)
    go.set()
    await asyncio.gather(holding, second)

    assert seen == []
    assert await paused(database) == ["first", "second"]


async def test_what_fails_in_a_thread_is_undone(database: SqliteDatabase) -> None:
    def work(session: Session) -> None:
        session.answer(pause("a"))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await asyncio.to_thread(perform, database, work)

    await asyncio.to_thread(write, database, "b")
    assert await paused(database) == ["b"]


class Interrupted:
    """A connection whose user is interrupted right after a statement."""

    def __init__(self, real: sqlite3.Connection, after: str) -> None:
        self._real = real
        self._after = after

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def execute(self, text: str, *args: Any) -> sqlite3.Cursor:
        """Do what is asked, and be interrupted."""
        answer = self._real.execute(text, *args)
        if text == self._after:
            raise KeyboardInterrupt
        return answer


@pytest.mark.parametrize(("after", "kept"), [("begin immediate", []), ("commit", ["a"])])
async def test_an_interrupt_leaves_no_transaction_open(
    database: SqliteDatabase, path: Path, after: str, kept: list[str]
) -> None:
    connected = connection_of(database)
    real = connected._connection
    connected._connection = Interrupted(real, after)

    with pytest.raises(KeyboardInterrupt):
        at_once_elsewhere(database)
    connected._connection = real

    with sqlite3.connect(path, isolation_level=None, timeout=0) as other:
        other.execute("begin immediate")  # nobody holds the file
        other.execute("rollback")
    assert await paused(database) == kept
    await asyncio.to_thread(write, database, "b")
    assert await paused(database) == [*kept, "b"]


def at_once_elsewhere(database: SqliteDatabase) -> None:
    """Write in a thread that hands over whatever befell it, interrupts included."""
    told: list[BaseException] = []

    def run() -> None:
        try:
            write(database, "a")
        except BaseException as problem:  # noqa: BLE001 — raised below
            told.append(problem)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if told:
        raise told[0]


async def test_who_interrupts_its_own_write_is_refused_instead_of_waiting_for_itself(
    database: SqliteDatabase,
) -> None:
    """As a signal handler would that writes in the middle of another write."""

    def work(session: Session) -> bool:
        session.answer(pause("a"))
        asked = database.at_once()
        with pytest.raises(Busy, match="signal handler"):
            write(database, "b")
        return asked

    asked = await asyncio.to_thread(perform, database, work)

    assert asked, "it must come itself, to be told"
    assert await paused(database) == ["a"]


def test_a_thread_that_is_interrupted_while_it_waits_is_passed_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    errand = Errand(lambda _: None)

    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(errand._done, "wait", interrupt)
    with pytest.raises(KeyboardInterrupt):
        errand.wait()

    assert errand.given_up


async def test_a_locked_file_is_waited_for(database: SqliteDatabase, path: Path) -> None:
    outsider = sqlite3.connect(path, isolation_level=None, timeout=0)
    outsider.execute("begin immediate")

    writing = asyncio.create_task(asyncio.to_thread(write, database, "a"))
    await until(lambda: bool(hands_of(database)._inside))
    outsider.execute("commit")
    await writing

    outsider.close()
    assert await paused(database) == ["a"]


async def test_a_closed_database_says_so(path: Path) -> None:
    database = SqliteDatabase(path, clock=SystemClock(), chance=SystemChance())
    await migrate.up(SqliteMigrator(database))
    await database.close()

    with pytest.raises(StoreAway, match="closed"):
        await asyncio.to_thread(write, database, "a")

    assert not database.at_once()


async def test_closing_waits_for_a_thread_that_writes(path: Path) -> None:
    database = SqliteDatabase(path, clock=SystemClock(), chance=SystemChance())
    await migrate.up(SqliteMigrator(database))
    begun, go = threading.Event(), threading.Event()

    def work(session: Session) -> None:
        session.answer(pause("a"))
        begun.set()
        assert go.wait(20)

    working = asyncio.create_task(asyncio.to_thread(perform, database, work))
    await asyncio.to_thread(begun.wait)
    closing = asyncio.create_task(database.close())
    await until(lambda: not hands_of(database)._thread)
    early = closing.done()
    go.set()
    await asyncio.gather(working, closing)

    assert not early
    assert connection_of(database)._connection is None
    again = SqliteDatabase(path, clock=SystemClock(), chance=SystemChance())
    assert await paused(again) == ["a"]
    await again.close()


async def test_the_log_is_folded_after_writes_of_threads_too(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("windlass.store.sqlite_hands.IDLE", 0.02)
    database = SqliteDatabase(path, clock=SystemClock(), chance=SystemChance())
    await migrate.up(SqliteMigrator(database))
    written = []

    for name in ("a", "b", "c"):
        written.append(name)
        await asyncio.to_thread(write, database, name)
        await until(lambda: paused_in_the_file(path) == written)

    assert await paused(database) == written
    await database.close()


def hands_of(database: SqliteDatabase) -> Any:
    return database._writer


def owed(database: SqliteDatabase) -> int:
    return int(hands_of(database)._owed)


def connection_of(database: SqliteDatabase) -> Any:
    return hands_of(database)._performer._connected
