"""Counting live jobs: on the spot while that is cheap, else seldom, for the whole fleet."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from tests.store.yard import OwnClock, Yard
from windlass.core.job import State
from windlass.store import counting
from windlass.store.base import Database
from windlass.store.sql_store import SqlStore

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.fixture
def slow(clock: OwnClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every count take a second, of however few jobs."""
    seconds: Iterator[int] = iter(range(1_000))
    monkeypatch.setattr(clock, "monotonic", lambda: float(next(seconds)))
    monkeypatch.setattr(counting, "MANY", 1)


def now(yard: Yard) -> datetime:
    return EPOCH + timedelta(microseconds=yard.clock.now_us())


async def pending(store: SqlStore) -> int:
    return (await store.counts())[State.PENDING]


async def test_a_cheap_count_is_made_on_the_spot(yard: Yard, store: SqlStore) -> None:
    await yard.enqueue(2)
    before = await store.counts()
    await yard.enqueue()
    yard.clock.advance(1)

    after = await store.counts()

    assert (before[State.PENDING], after[State.PENDING]) == (2, 3)
    assert after.counted_at == now(yard)


@pytest.mark.usefixtures("slow")
async def test_a_dear_count_is_kept_for_twenty_times_its_cost(
    yard: Yard, store: SqlStore, database: Database, clock: OwnClock
) -> None:
    elsewhere = SqlStore(database, clock)
    await yard.enqueue(2)
    first = await store.counts()
    await yard.enqueue()
    yard.clock.advance(19)

    kept = await elsewhere.counts()
    yard.clock.advance(1)
    again = await elsewhere.counts()

    assert (first[State.PENDING], kept[State.PENDING], again[State.PENDING]) == (2, 2, 3)
    assert kept.counted_at == first.counted_at
    assert again.counted_at == first.counted_at + timedelta(seconds=20)


@pytest.mark.usefixtures("slow")
async def test_finished_jobs_are_exact_though_live_ones_are_not(
    yard: Yard, store: SqlStore
) -> None:
    await yard.enqueue(queue="other")
    await store.counts()

    await yard.finished(queue="other", type="sms")

    assert (await store.counts())[State.COMPLETED] == 1


@pytest.mark.usefixtures("slow")
async def test_only_one_takes_the_turn_to_count_again(
    yard: Yard, store: SqlStore, database: Database, clock: OwnClock
) -> None:
    await yard.enqueue(2)
    await store.counts()
    await yard.enqueue()
    yard.clock.advance(21)
    counting_now = counting.Counting(database, clock)

    mine = await counting_now.take_turn()
    theirs = await pending(SqlStore(database, clock))

    assert mine
    assert theirs == 2


async def test_a_count_that_is_cheap_again_is_not_kept(
    yard: Yard, store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as slow:
        seconds = iter(range(10))
        slow.setattr(yard.clock, "monotonic", lambda: float(next(seconds)))
        slow.setattr(counting, "MANY", 1)
        await yard.enqueue(2)
        await store.counts()
    yard.clock.advance(21)
    await store.counts()

    await yard.enqueue()

    assert await pending(store) == 3


async def test_a_slow_machine_makes_no_count_of_few_jobs_dear(
    yard: Yard, store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = iter(range(100))
    monkeypatch.setattr(yard.clock, "monotonic", lambda: float(next(seconds)))
    await yard.enqueue(2)
    await pending(store)

    await yard.enqueue()

    assert await pending(store) == 3
