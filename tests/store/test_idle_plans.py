"""Plans that PostgreSQL makes while nothing waits must serve when much does."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from tests.store.yard import OwnClock, Yard
from windlass.core.outcome import Done
from windlass.store.postgres import PostgresDatabase
from windlass.store.sql_store import SqlStore

IDLE = 12  # claims of nothing: the sixth is planned for all that follow
JOBS = 3_000
LONG = timedelta(hours=1)  # a lease by the database's own clock, on a machine that may be busy


@pytest.fixture
def clock() -> OwnClock:
    return OwnClock()


@pytest.fixture
async def database(postgres_url: str) -> AsyncIterator[PostgresDatabase]:
    """One connection, whose plans are those of every statement, and nobody else who reads."""
    database = PostgresDatabase(postgres_url, connections=1)
    yield database
    await database.close()


async def rows_read(database: PostgresDatabase) -> int:
    """How many jobs were ever read from end to end."""
    return await counted(
        database, "select seq_tup_read from pg_stat_user_tables where relname = 'windlass_jobs'"
    )


async def running_read(database: PostgresDatabase) -> int:
    """How many running jobs were ever found by their worker."""
    return await counted(
        database,
        "select idx_tup_read from pg_stat_user_indexes where indexrelname = 'windlass_jobs_held'",
    )


async def counted(database: PostgresDatabase, question: str) -> int:
    """What PostgreSQL has counted until now."""
    async with database.connection() as connection:
        await connection.execute("select pg_stat_force_next_flush()")
        await connection.execute("select pg_stat_clear_snapshot()")
        return int(await connection.fetchval(question))


async def test_who_was_idle_claims_and_settles_without_reading_the_whole_line(
    yard: Yard, store: SqlStore, database: PostgresDatabase
) -> None:
    worker = await yard.worker(node=await yard.node(LONG))
    for _ in range(IDLE):
        assert await yard.claim(worker) == []
    await store.enqueue([yard.new() for _ in range(JOBS)])
    before = await rows_read(database)

    claims = await yard.claim(worker, limit=100)
    await store.settle([yard.end(claim, Done("1")) for claim in claims])

    assert len(claims) == 100
    assert await rows_read(database) == before


async def test_who_looks_for_orphans_reads_nothing_of_what_the_living_run(
    yard: Yard, store: SqlStore, database: PostgresDatabase
) -> None:
    node = await yard.node(LONG)
    workers = [await yard.worker(node=node) for _ in range(3)]
    for _ in range(IDLE):
        assert await yard.reclaim() == 0
    await yard.enqueue(90)
    for worker in workers:
        assert len(await yard.claim(worker, limit=30)) == 30
    before = await running_read(database)

    assert await yard.reclaim() == 0

    assert await running_read(database) == before
    await store.dismiss([workers[1].id])
    assert await yard.reclaim() == 30
