"""A job that comes alone to SQLite gets its place in line from whoever writes next."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.faults.disk import MIB, small_disk
from tests.store.yard import OwnClock, Yard
from windlass.clock import SystemChance
from windlass.core.errors import AlreadyKept
from windlass.core.job import JobId, Lane, State
from windlass.core.search import JobFilter
from windlass.store import migrate
from windlass.store.enqueue import lone
from windlass.store.migrate_sqlite import SqliteMigrator
from windlass.store.outside import Request, enqueue
from windlass.store.records import Demand
from windlass.store.script import Statement
from windlass.store.sql_store import SqlStore
from windlass.store.sqlite import SqliteDatabase
from windlass.store.sqlite_writer import NEWCOMERS

pytestmark = pytest.mark.parametrize("dialect", ["sqlite"])
BEFORE_LONE_JOBS = 8


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the jobs are."""
    return tmp_path / "windlass.db"


class Lone:
    """Jobs that come one by one from a thread without a loop."""

    def __init__(self, yard: Yard, database: SqliteDatabase) -> None:
        self._yard = yard
        self._database = database

    async def keep(self, count: int = 1, **given: object) -> list[JobId]:
        """Keep them, each by one step."""
        if not self._database.at_once():
            await self._database.write(Statement("aging"))  # which wakes who writes
        jobs = [self._yard.new(**given) for _ in range(count)]
        assert all(self._database.keep_here(lone(job)) for job in jobs)
        return [job.id for job in jobs]


@pytest.fixture
def alone(yard: Yard, database: SqliteDatabase) -> Lone:
    """Whoever comes alone."""
    return Lone(yard, database)


def in_no_line(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        [(count,)] = connection.execute("select count(*) from windlass_newcomers")
    return int(count)


async def test_those_who_came_alone_are_claimed_in_their_order(yard: Yard, alone: Lone) -> None:
    worker = await yard.worker()
    late = await alone.keep(2)
    [urgent] = await alone.keep(priority=1)

    claims = await yard.claim(worker)

    assert [claim.id for claim in claims] == [urgent, *late]
    assert {claim.lane for claim in claims} == {Lane.OPEN}


async def test_who_wants_threads_stands_in_their_line(
    yard: Yard, alone: Lone, store: SqlStore
) -> None:
    worker = await yard.worker()
    [wide] = await alone.keep(threads=2)
    demand = Demand(
        node=worker.node, worker=worker.id, lane=Lane.THREADS, limit=1, types=worker.types
    )

    head = await store.head(demand)
    claims = await yard.claim(worker, lane=Lane.THREADS)

    assert head is not None
    assert head.threads == 2
    assert [claim.id for claim in claims] == [wide]


async def test_others_who_come_leave_nobody_behind(yard: Yard, alone: Lone, path: Path) -> None:
    worker = await yard.worker()
    first = await alone.keep(2)
    [second] = await yard.enqueue()
    third = await alone.keep(2)
    outside = yard.new()
    request = Request(jobs=[outside], dialect="sqlite", schema="public", now_us=yard.clock.now_us())
    with closing(sqlite3.connect(path)) as connection:
        await enqueue(request, connection)
        connection.commit()

    claims = await yard.claim(worker)

    assert [claim.id for claim in claims] == [*first, second, *third, outside.id]


async def test_they_wait_in_line_after_a_while_if_nobody_else_writes(
    alone: Lone, path: Path
) -> None:
    await alone.keep(NEWCOMERS - 1)
    before = in_no_line(path)

    await alone.keep()

    assert (before, in_no_line(path)) == (NEWCOMERS - 1, 0)


async def test_whoever_asks_about_lines_finds_them(
    yard: Yard, alone: Lone, store: SqlStore, path: Path
) -> None:
    first, second = await alone.keep(2, queue="mail")

    facts = await store.facts(second)
    queues = {queue.name: queue.depth for queue in await store.queues()}

    assert facts is not None
    assert facts.ahead == 1
    assert queues["mail"] == 2
    assert in_no_line(path) == 0
    assert await yard.state(first) is State.PENDING


async def test_a_search_by_queue_finds_them(alone: Lone, store: SqlStore) -> None:
    jobs = await alone.keep(3, queue="mail")

    found = await store.page(JobFilter(states=frozenset({State.PENDING}), queue="mail"))

    assert [job.id for job in found.jobs] == sorted(jobs, reverse=True)


async def test_whoever_looks_by_themselves_finds_them_among_all_jobs(
    alone: Lone, path: Path
) -> None:
    jobs = await alone.keep(2, queue="mail", threads=1)

    with closing(sqlite3.connect(path)) as connection:
        query = "select id, state, lane, queue from windlass_every_job"
        found = connection.execute(query).fetchall()

    assert found == [(job, "pending", "threads", "mail") for job in jobs]


async def test_a_job_in_no_line_yet_is_told_and_cancelled_like_any_other(
    yard: Yard, alone: Lone, store: SqlStore
) -> None:
    [job] = await alone.keep()
    told = await yard.job(job)

    await store.cancel([job])

    assert (told.state, told.lane) == (State.PENDING, Lane.OPEN)
    assert await yard.state(job) is State.CANCELLED


@pytest.mark.parametrize("lined_up", [False, True])
async def test_one_that_is_there_already_is_not_kept_again(
    yard: Yard, alone: Lone, database: SqliteDatabase, path: Path, *, lined_up: bool
) -> None:
    await alone.keep()
    job = yard.new()
    database.keep_here(lone(job))
    if lined_up:
        assert await yard.state(job.id) is State.PENDING

    with pytest.raises(AlreadyKept):
        database.keep_here(lone(job))

    assert in_no_line(path) == (0 if lined_up else 2)
    assert await yard.state(job.id) is State.PENDING


async def test_a_caller_who_goes_back_leaves_them_where_they_were(
    yard: Yard, alone: Lone, path: Path
) -> None:
    worker = await yard.worker()
    first = await alone.keep(2)
    outside = yard.new()
    request = Request(jobs=[outside], dialect="sqlite", schema="public", now_us=yard.clock.now_us())
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("begin")
        await enqueue(request, connection)
        connection.rollback()
    left = in_no_line(path)

    claims = await yard.claim(worker)

    assert left == 2
    assert [claim.id for claim in claims] == first


async def test_a_full_disk_hides_nobody_who_came_alone(tmp_path: Path, clock: OwnClock) -> None:
    with small_disk(tmp_path / "disk", 16 * MIB) as disk:
        path = disk.folder / "windlass.db"
        database = SqliteDatabase(path, clock=clock, chance=SystemChance())
        await migrate.up(SqliteMigrator(database))
        store = SqlStore(database, clock)
        jobs = await Lone(Yard(store, clock), database).keep(2)

        disk.fill()
        found = await store.page(JobFilter(states=frozenset({State.PENDING})))
        left = in_no_line(path)
        disk.free()
        await store.page(JobFilter())

        assert [job.id for job in found.jobs] == sorted(jobs, reverse=True)
        assert (left, in_no_line(path)) == (2, 0)
        await database.close()


async def test_a_migration_back_puts_them_in_line(
    yard: Yard, alone: Lone, database: SqliteDatabase
) -> None:
    worker = await yard.worker()
    jobs = await alone.keep(2)

    await migrate.down(SqliteMigrator(database), to=BEFORE_LONE_JOBS)
    await migrate.up(SqliteMigrator(database))

    assert [claim.id for claim in await yard.claim(worker)] == jobs
