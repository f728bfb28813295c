"""Transactions of handlers: their commit is told to Redis like any other."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.store.shelves import Shelved
from tests.store.yard import OwnClock, Yard
from windlass.core.claim import Claim
from windlass.core.errors import ClaimLost
from windlass.core.job import State
from windlass.core.settle import Settlement, done
from windlass.store.base import Database, Effects
from windlass.store.cached_effects import CachedEffects
from windlass.store.postgres import PostgresDatabase
from windlass.store.postgres_effects import PostgresEffects
from windlass.store.sqlite import SqliteDatabase
from windlass.store.sqlite_effects import SqliteEffects


@pytest.fixture
async def store(database: Database, clock: OwnClock, redis_url: str) -> AsyncIterator[Shelved]:
    store = Shelved(database, clock, redis_url)
    yield store
    await store.close()


@pytest.fixture
async def own(database: Database, clock: OwnClock) -> AsyncIterator[Effects]:
    """Effects as they are without Redis."""
    effects: Effects
    if isinstance(database, SqliteDatabase):
        effects = SqliteEffects(database, clock)
    else:
        assert isinstance(database, PostgresDatabase)
        effects = PostgresEffects(PostgresDatabase(database.url, for_handlers=True), clock)
    yield effects
    await effects.close()


@pytest.fixture
async def effects(own: Effects, store: Shelved) -> CachedEffects:
    return CachedEffects(own, store.shelf)


@pytest.fixture
def yard(store: Shelved, clock: OwnClock) -> Yard:
    return Yard(store, clock)


def ending(claim: Claim) -> Settlement:
    return done(claim, '"done"', 0.0, 0.0)


async def test_the_end_of_a_block_leaves_nothing_old(
    yard: Yard, store: Shelved, effects: CachedEffects
) -> None:
    _, claim = await yard.running()
    assert await yard.state(claim.id) is State.RUNNING

    async with effects.block(lambda: ending(claim)) as connection:
        await connection.execute("select 1")

    assert await yard.state(claim.id) is State.COMPLETED


async def test_the_end_of_a_plain_block_leaves_nothing_old(
    yard: Yard, store: Shelved, effects: CachedEffects
) -> None:
    _, claim = await yard.running()
    assert await yard.state(claim.id) is State.RUNNING

    def handle() -> None:
        with effects.blocking(lambda: ending(claim)) as connection:
            connection.execute("select 1")

    await asyncio.to_thread(handle)

    assert await yard.state(claim.id) is State.COMPLETED


async def test_whoever_dies_at_the_end_of_a_block_leaves_nothing_old(
    yard: Yard, store: Shelved, effects: CachedEffects, database: Database, redis_url: str
) -> None:
    _, claim = await yard.running()
    assert await yard.state(claim.id) is State.RUNNING
    store.line.cut_before = "DEL"
    reader = Shelved(database, yard.clock, redis_url)

    async with effects.block(lambda: ending(claim)):
        pass

    found = await reader.job(claim.id)
    assert found is not None
    assert found.state is State.COMPLETED
    await reader.close()


async def test_a_block_that_fails_changes_nothing(
    yard: Yard, store: Shelved, effects: CachedEffects
) -> None:
    worker, claim = await yard.running()
    await store.dismiss([worker.id])
    await yard.reclaim()
    before = await yard.job(claim.id)

    with pytest.raises(ClaimLost):
        async with effects.block(lambda: ending(claim)):
            pass

    assert await yard.job(claim.id) == before
