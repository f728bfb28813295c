"""Plans that PostgreSQL makes while nothing waits must serve when much does."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.store.yard import OwnClock, Yard
from windlass.core.outcome import Done
from windlass.store.postgres import PostgresDatabase
from windlass.store.sql_store import SqlStore

IDLE = 12  # claims of nothing: the sixth is planned for all that follow
JOBS = 3_000


@pytest.fixture
async def database(shared_postgres_url: str) -> AsyncIterator[PostgresDatabase]:
    """One connection, whose plans are those of every statement."""
    database = PostgresDatabase(shared_postgres_url, connections=1)
    yield database
    await database.close()


async def rows_read(database: PostgresDatabase) -> int:
    """How many jobs were ever read from end to end."""
    async with database.connection() as connection:
        await connection.execute("select pg_stat_force_next_flush()")
        await connection.execute("select pg_stat_clear_snapshot()")
        return int(
            await connection.fetchval(
                "select seq_tup_read from pg_stat_user_tables where relname = 'windlass_jobs'"
            )
        )


async def test_who_was_idle_claims_and_settles_without_reading_the_whole_line(
    database: PostgresDatabase,
) -> None:
    clock = OwnClock()
    store = SqlStore(database, clock)
    yard = Yard(store, clock)
    worker = await yard.worker()
    for _ in range(IDLE):
        assert await yard.claim(worker) == []
    await store.enqueue([yard.new() for _ in range(JOBS)])
    before = await rows_read(database)

    claims = await yard.claim(worker, limit=100)
    await store.settle([yard.end(claim, Done("1")) for claim in claims])

    assert len(claims) == 100
    assert await rows_read(database) == before
