"""The embedded database: shared transactions, failures that stay alone, files that are refused."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.store.without_log import paused_in_the_file
from tests.store.yard import OwnClock
from tests.waiting import until
from windlass.clock import SystemChance, SystemClock
from windlass.core.errors import BadStore, Busy, NotMigrated, StoreAway
from windlass.store import migrate
from windlass.store.busy import LONG, Patience
from windlass.store.migrate_sqlite import SqliteMigrator
from windlass.store.script import Script, Statement
from windlass.store.sqlite import SqliteDatabase
from windlass.store.sqlite_connection import LONG_LOG, SHORT_LOG, connect
from windlass.store.sqlite_session import Session
from windlass.store.sqlite_writer import FEW


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "windlass.db"


@pytest.fixture(params=["threads", "inline", "memory"])
async def database(request: pytest.FixtureRequest, path: Path) -> AsyncIterator[SqliteDatabase]:
    database = SqliteDatabase(
        ":memory:" if request.param == "memory" else path,
        clock=OwnClock(),
        chance=SystemChance(),
        inline=request.param == "inline",
    )
    await migrate.up(SqliteMigrator(database))
    yield database
    await database.close()


@pytest.fixture
async def threaded(path: Path) -> AsyncIterator[SqliteDatabase]:
    database = open_file(path)
    await migrate.up(SqliteMigrator(database))
    yield database
    await database.close()


@pytest.fixture
def outsider(path: Path) -> Iterator[sqlite3.Connection]:
    """Another process's connection."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=0)
    yield connection
    connection.close()


def open_file(path: Path | str) -> SqliteDatabase:
    return SqliteDatabase(path, clock=SystemClock(), chance=SystemChance())


def pause(queue: str) -> Statement:
    return Statement("pause", {"queue": queue, "by": "ada"})


async def paused(database: SqliteDatabase) -> list[str]:
    return [row["name"] for row in await database.read(Statement("queues", {"bound": 10}))]


async def test_a_write_is_there_for_the_next_read(database: SqliteDatabase) -> None:
    for number in range(20):
        await database.write(pause(f"q{number:02}"))

        assert (await paused(database))[-1] == f"q{number:02}"


async def test_a_script_is_all_or_nothing(database: SqliteDatabase) -> None:
    def script() -> Script[None]:
        yield pause("a")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await database.run(script())

    assert await paused(database) == []


async def test_one_failure_in_a_shared_transaction_is_alone(threaded: SqliteDatabase) -> None:
    def failing(number: int) -> Script[str]:
        yield pause(f"bad{number}")
        raise KeyError(number)

    async with held_up(threaded):
        good = [asyncio.ensure_future(threaded.write(pause(f"good{n}"))) for n in range(3)]
        bad = [asyncio.ensure_future(threaded.run(failing(n))) for n in range(2)]
        more = [asyncio.ensure_future(threaded.write(pause(f"more{n}"))) for n in range(3)]
        await asyncio.sleep(0)

    await asyncio.gather(*good, *more)
    for one in bad:
        with pytest.raises(KeyError):
            await one
    assert await paused(threaded) == ["good0", "good1", "good2", "more0", "more1", "more2"]


async def test_writes_that_wait_together_share_a_transaction(threaded: SqliteDatabase) -> None:
    await threaded.write(pause("first"))
    before = frames(threaded)

    async with held_up(threaded):
        writes = [asyncio.ensure_future(threaded.write(pause(f"q{n}"))) for n in range(50)]
        await asyncio.sleep(0)
    await asyncio.gather(*writes)

    # One commit writes each changed page once; fifty would write a page or more each.
    assert len(await paused(threaded)) == 51
    assert frames(threaded) - before < 10


async def test_each_command_has_one_moment(database: SqliteDatabase) -> None:
    def work(session: Session) -> tuple[int, int]:
        session.answer(pause("a"))
        session.answer(pause("b"))
        rows = session.connection.execute("select distinct paused_at from windlass_queues")
        return session.now, rows.fetchall()[0][0]

    now, written = await database.perform(work)

    assert now == written


async def test_a_caller_who_gave_up_before_its_turn_is_passed_over(
    threaded: SqliteDatabase,
) -> None:
    async with held_up(threaded):
        given_up = asyncio.ensure_future(threaded.write(pause("a")))
        stays = asyncio.ensure_future(threaded.write(pause("b")))
        await asyncio.sleep(0)
        given_up.cancel()
        await asyncio.sleep(0)
    await stays

    assert await paused(threaded) == ["b"]


async def test_work_of_its_own_shares_no_transaction(threaded: SqliteDatabase) -> None:
    def rude(session: Session) -> None:
        session.answer(pause("rude"))
        session.connection.execute("rollback")

    async with held_up(threaded):
        before = [asyncio.ensure_future(threaded.write(pause(f"a{n}"))) for n in range(2)]
        alone = asyncio.ensure_future(threaded.perform(rude))
        after = [asyncio.ensure_future(threaded.write(pause(f"b{n}"))) for n in range(2)]
        await asyncio.sleep(0)

    await asyncio.gather(*before, alone, *after)
    assert await paused(threaded) == ["a0", "a1", "b0", "b1"]


async def test_work_that_was_interrupted_is_undone_and_fails_alone(
    threaded: SqliteDatabase,
) -> None:
    endless = """
        with recursive numbers (n) as (select 1 union all select n + 1 from numbers)
        insert into windlass_queues select 'q' || n, n, 'ada' from numbers"""

    def slow(session: Session) -> None:
        timer = threading.Timer(0.05, session.connection.interrupt)
        timer.start()
        session.connection.execute(endless)

    working = asyncio.ensure_future(threaded.perform(slow))
    writing = asyncio.ensure_future(threaded.write(pause("b")))

    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        await working
    await writing
    assert await paused(threaded) == ["b"]


async def test_closing_finishes_what_is_queued(path: Path) -> None:
    database = open_file(path)
    await migrate.up(SqliteMigrator(database))
    async with held_up(database):
        writes = [asyncio.ensure_future(database.write(pause(f"q{n}"))) for n in range(5)]
        closing = asyncio.ensure_future(database.close())
        await asyncio.sleep(0)

    await asyncio.gather(*writes, closing)

    again = open_file(path)
    assert len(await paused(again)) == 5
    await again.close()


async def test_a_closed_database_says_so(path: Path) -> None:
    database = open_file(path)
    await database.close()

    with pytest.raises(StoreAway, match="closed"):
        await database.write(pause("a"))


async def test_a_database_may_be_used_from_several_loops(threaded: SqliteDatabase) -> None:
    def elsewhere() -> None:
        asyncio.run(threaded.write(pause("other")))

    await asyncio.to_thread(elsewhere)

    assert await paused(threaded) == ["other"]


async def test_a_locked_file_is_waited_for(
    threaded: SqliteDatabase, outsider: sqlite3.Connection
) -> None:
    outsider.execute("begin immediate")

    write = asyncio.ensure_future(threaded.write(pause("a")))
    await asyncio.sleep(0.05)
    waiting = not write.done()
    outsider.execute("commit")
    await write

    assert waiting
    assert await paused(threaded) == ["a"]


async def test_reads_do_not_wait_for_a_writer(
    threaded: SqliteDatabase, outsider: sqlite3.Connection
) -> None:
    await threaded.write(pause("a"))
    outsider.execute("begin immediate")
    outsider.execute("delete from windlass_queues")

    seen = await paused(threaded)

    outsider.execute("rollback")
    assert seen == ["a"]


def test_patience_ends(path: Path, outsider: sqlite3.Connection) -> None:
    outsider.execute("create table t (x)")
    outsider.execute("begin immediate")
    waiter = sqlite3.connect(path, isolation_level=None, timeout=0)
    patience = Patience(SystemClock(), SystemChance(), at_most=0.05)

    with pytest.raises(Busy, match=r"more than 0\.05 s"):
        patience.wait(lambda: waiter.execute("begin immediate"))

    waiter.close()


async def test_who_writes_without_a_pause_lets_others_write_in_between(
    threaded: SqliteDatabase, path: Path
) -> None:
    blocks = 0
    enough = threading.Event()

    def block(_: Session) -> None:
        nonlocal blocks
        blocks += 1
        enough.wait(LONG)

    async def without_a_pause() -> None:
        while not enough.is_set():
            await threaded.perform(block)

    async def until_written(queue: str) -> int:
        before = blocks
        await until(lambda: blocks > before)
        await other.write(pause(queue))
        return blocks - before

    other = open_file(path)
    async with asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(without_a_pause())
        passed = [await until_written(queue) for queue in "abcd"]
        enough.set()

    await other.close()
    assert max(passed) <= 3, passed


async def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(path: Path) -> None:
    path.write_bytes(b"a letter to ada, not a database at all" * 100)
    before = path.read_bytes()
    database = open_file(path)

    for verb in (database.read, database.write):
        with pytest.raises(BadStore, match=r"windlass\.db cannot be used as a database"):
            await verb(pause("a"))

    await database.close()
    assert path.read_bytes() == before


async def test_a_folder_is_refused(tmp_path: Path) -> None:
    database = open_file(tmp_path)

    with pytest.raises(BadStore, match="cannot be opened"):
        await database.read(pause("a"))

    await database.close()


async def test_a_path_through_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    database = open_file(tmp_path / "file" / "windlass.db")

    with pytest.raises(BadStore, match="cannot be opened"):
        await database.read(pause("a"))

    await database.close()


async def test_an_old_sqlite_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 34, 1))
    database = open_file(path)

    with pytest.raises(BadStore, match=r"3\.35 or later"):
        await database.read(pause("a"))

    await database.close()
    assert not path.exists()


async def test_file_and_folder_are_for_this_account_only(tmp_path: Path) -> None:
    path = tmp_path / "made" / "windlass.db"
    database = open_file(path)

    await migrate.up(SqliteMigrator(database))

    modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert modes == {"windlass.db": 0o600, "windlass.db-wal": 0o600, "windlass.db-shm": 0o600}
    await database.close()


async def test_a_file_without_our_tables_says_what_to_do(path: Path) -> None:
    database = open_file(path)

    for verb in (database.read, database.write):
        with pytest.raises(NotMigrated, match="windlass migrate up"):
            await verb(Statement("counts_finished"))

    await database.close()


async def test_our_tables_live_beside_the_tables_of_others(
    path: Path, outsider: sqlite3.Connection
) -> None:
    outsider.execute("create table theirs (x)")
    database = open_file(path)

    await migrate.up(SqliteMigrator(database))
    await migrate.down(SqliteMigrator(database), to=0)

    assert outsider.execute("select count(*) from theirs").fetchone() == (0,)
    await database.close()


async def test_a_full_disk_is_said_plainly_and_changes_nothing(
    threaded: SqliteDatabase,
) -> None:
    await threaded.perform(lambda session: pages_at_most(session, 1))
    good = pause("small")

    with pytest.raises(StoreAway, match="disk of the database is full") as away:
        await threaded.write(pause("x" * 1_000_000))
    await threaded.perform(lambda session: pages_at_most(session, 1_000_000))
    await threaded.write(good)

    assert not away.value.ambiguous
    assert await paused(threaded) == ["small"]


async def test_the_log_may_grow_longer_once_batches_are_written(threaded: SqliteDatabase) -> None:
    await threaded.write(pause("a"))
    before = await threaded.perform(folded_after)

    await threaded.perform(lambda session: [session.answer(pause(f"{n}")) for n in range(FEW + 1)])
    after = await threaded.perform(folded_after)

    assert (before, after) == (SHORT_LOG, LONG_LOG)


def folded_after(session: Session) -> int:
    """The pages after which SQLite folds the log into the file."""
    [(pages,)] = session.connection.execute("pragma wal_autocheckpoint").fetchall()
    return int(pages)


async def test_a_full_disk_fails_everyone_in_the_transaction(threaded: SqliteDatabase) -> None:
    await threaded.perform(lambda session: pages_at_most(session, 1))
    async with held_up(threaded):
        writes = [
            asyncio.ensure_future(threaded.write(pause(name)))
            for name in ("a", "x" * 1_000_000, "b")
        ]
        await asyncio.sleep(0)

    answers = await asyncio.gather(*writes, return_exceptions=True)

    assert [type(answer) for answer in answers] == [StoreAway] * 3
    assert len({id(answer) for answer in answers}) == 3
    assert await paused(threaded) == []


async def test_a_failed_commit_is_told_to_everyone_as_ambiguous(
    threaded: SqliteDatabase,
) -> None:
    class Torn:
        """A connection whose disk fails at the commit."""

        def __init__(self, real: sqlite3.Connection) -> None:
            self.real = real

        def __getattr__(self, name: str) -> object:
            return getattr(self.real, name)

        def execute(self, text: str, *args: Any) -> object:
            if text == "commit":
                problem = sqlite3.OperationalError("disk I/O error")
                problem.sqlite_errorcode = sqlite3.SQLITE_IOERR
                raise problem
            return self.real.execute(text, *args)

    connected = connection_of(threaded)
    real = connected._connection
    connected._connection = Torn(real)

    with pytest.raises(StoreAway, match="disk I/O error") as away:
        await threaded.write(pause("a"))

    connected._connection = real
    assert away.value.ambiguous
    assert await paused(threaded) == []


async def test_a_bug_in_the_writer_is_heard_and_the_next_command_works(
    threaded: SqliteDatabase,
) -> None:
    def broken(_: Session) -> None:
        raise SystemError("a bug")

    with pytest.raises(SystemError, match="a bug"):
        await threaded.perform(broken)

    await threaded.write(pause("a"))
    assert await paused(threaded) == ["a"]


async def test_the_log_is_folded_when_nothing_happens_and_written_over_from_its_start(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("windlass.store.sqlite_hands.IDLE", 0.01)
    database = open_file(path)
    await migrate.up(SqliteMigrator(database))
    await database.write(pause("a"))
    await until(lambda: paused_in_the_file(path) == ["a"])
    before = frames(database)

    await database.write(pause("b"))
    await until(lambda: paused_in_the_file(path) == ["a", "b"])

    assert frames(database) == before
    assert await paused(database) == ["a", "b"]
    await database.close()


async def test_the_log_stays_bounded_under_load(threaded: SqliteDatabase, path: Path) -> None:
    for number in range(30):
        await threaded.write(pause(f"{number}" + "x" * 1_000_000))

    assert path.with_name("windlass.db-wal").stat().st_size < 64 * 1024 * 1024


def test_every_commit_is_synced(path: Path) -> None:
    connection = connect(str(path), Patience(SystemClock(), SystemChance()))

    pragmas = {
        name: connection.execute(f"pragma {name}").fetchone()[0]
        for name in ("synchronous", "journal_mode", "foreign_keys", "journal_size_limit")
    }

    assert pragmas == {
        "synchronous": 2,
        "journal_mode": "wal",
        "foreign_keys": 1,
        "journal_size_limit": 64 * 1024 * 1024,
    }
    connection.close()


@asynccontextmanager
async def held_up(database: SqliteDatabase) -> AsyncIterator[None]:
    """Keep the writer's thread busy, so that whatever is asked for meanwhile waits together."""
    begun, go = threading.Event(), threading.Event()

    def work(_: Session) -> None:
        begun.set()
        assert go.wait(5)

    holding = asyncio.ensure_future(database.perform(work))
    await asyncio.to_thread(begun.wait, 5)
    yield
    go.set()
    await holding


def pages_at_most(session: Session, spare: int) -> None:
    [(pages,)] = session.connection.execute("pragma page_count").fetchall()
    session.connection.execute(f"pragma max_page_count = {pages + spare}").fetchall()


def frames(database: SqliteDatabase) -> int:
    return Path(f"{database.path}-wal").stat().st_size // 4096


def connection_of(database: SqliteDatabase) -> Any:
    hands: Any = database._writer
    return hands._performer._connected
