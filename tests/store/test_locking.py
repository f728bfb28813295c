"""A lock has one holder at a time by the database's clock, and each has a higher token."""

import asyncio
from datetime import timedelta

from tests.store.yard import OwnClock
from windlass.store.locking import Grip
from windlass.store.sql_store import SqlStore

TTL = timedelta(seconds=30)
HOURS = timedelta(hours=2).total_seconds()


async def token(store: SqlStore, name: str = "report") -> int:
    """Take a lock that is free."""
    grip = await store.lock(name, TTL)
    assert grip.token is not None
    return grip.token


async def test_a_lock_that_is_taken_is_refused_and_says_for_how_long(
    store: SqlStore, clock: OwnClock
) -> None:
    await token(store)
    clock.advance(10)

    assert await store.lock("report", TTL) == Grip(None, timedelta(seconds=20))
    assert await token(store, "another")


async def test_of_many_at_once_one_gets_it(store: SqlStore) -> None:
    grips = await asyncio.gather(*(store.lock("report", TTL) for _ in range(20)))

    assert len([grip for grip in grips if grip.token is not None]) == 1


async def test_a_lock_given_back_is_free_and_the_next_token_is_higher(store: SqlStore) -> None:
    first = await token(store)
    await store.unlock("report", first)

    assert await token(store) > first


async def test_a_lock_that_nobody_renews_ends_and_its_holder_can_neither_renew_nor_give_it_back(
    store: SqlStore, clock: OwnClock
) -> None:
    stale = await token(store)
    clock.advance(30)
    fresh = await token(store)

    assert fresh > stale
    assert not await store.renew_lock("report", stale, TTL)
    await store.unlock("report", stale)
    assert (await store.lock("report", TTL)).token is None


async def test_a_lock_that_has_ended_is_not_renewed_though_nobody_took_it(
    store: SqlStore, clock: OwnClock
) -> None:
    held = await token(store)
    clock.advance(30)

    assert not await store.renew_lock("report", held, TTL)


async def test_a_lock_that_is_renewed_stays_taken(store: SqlStore, clock: OwnClock) -> None:
    held = await token(store)
    clock.advance(20)
    assert await store.renew_lock("report", held, TTL)
    clock.advance(20)

    assert (await store.lock("report", TTL)).token is None


async def test_a_lock_that_was_forgotten_has_a_higher_token_when_it_is_taken_again(
    store: SqlStore, clock: OwnClock
) -> None:
    first = await token(store)
    clock.advance(HOURS)
    await store.prune(timedelta(days=7), 100)

    assert await token(store) > first


async def test_locks_that_nobody_takes_are_forgotten(store: SqlStore, clock: OwnClock) -> None:
    for number in range(20):
        await token(store, f"lock {number}")
    held = await token(store)
    clock.advance(HOURS)
    await store.prune(timedelta(days=7), 100)

    assert await token(store, "lock 3") > held


async def test_who_waits_is_next_and_who_comes_back_at_once_stands_behind(
    store: SqlStore, clock: OwnClock
) -> None:
    first = await token(store)
    assert (await store.lock("report", TTL, "waiter")).token is None
    assert (await store.lock("report", TTL, "late")).token is None
    await store.unlock("report", first)

    assert (await store.lock("report", TTL)).token is None
    assert (await store.lock("report", TTL, "late")).token is None
    assert (await store.lock("report", TTL, "waiter")).token is not None


async def test_a_lock_is_not_kept_for_a_waiter_that_left_or_died(
    store: SqlStore, clock: OwnClock
) -> None:
    first = await token(store)
    await store.lock("report", TTL, "leaver")
    await store.leave_lock("report", "leaver")
    await store.unlock("report", first)
    second = await token(store)
    await store.lock("report", TTL, "mortal")
    await store.unlock("report", second)
    clock.advance(2)

    assert await token(store) > second
