"""Rollups: the sums of finished jobs are exact, whatever is retried, deleted, pruned or folded."""

from datetime import timedelta

from tests.store.yard import FAILED, Yard
from windlass.core.job import State
from windlass.core.outcome import Cancelled, Done
from windlass.store.records import Enqueued
from windlass.store.sql_store import SqlStore

DAY = timedelta(days=1)


async def test_every_state_is_counted(yard: Yard, store: SqlStore) -> None:
    await yard.finished(Done())
    await yard.finished(FAILED)
    await yard.finished(Cancelled())
    [waiting] = await yard.enqueue(type="other")
    await store.cancel([waiting])
    await yard.enqueue(3, type="other")
    await yard.enqueue(2, delay=timedelta(hours=1))
    await yard.running(type="third")

    counts = await store.counts()

    assert counts.states == {
        State.SCHEDULED: 2,
        State.PENDING: 3,
        State.RUNNING: 1,
        State.COMPLETED: 1,
        State.FAILED: 1,
        State.CANCELLED: 2,
    }


async def test_a_retried_job_is_no_longer_counted_as_failed(yard: Yard, store: SqlStore) -> None:
    job_id = await yard.finished(FAILED)

    await store.retry([job_id])

    assert await yard.counted() == {State.PENDING: 1}


async def test_a_deleted_job_is_no_longer_counted(yard: Yard, store: SqlStore) -> None:
    ids = [await yard.finished(Done()) for _ in range(3)]

    await store.delete(ids[:2])

    assert await yard.counted() == {State.COMPLETED: 1}


async def test_a_stale_settlement_is_not_counted(yard: Yard, store: SqlStore) -> None:
    _, claim = await yard.running()
    settlement = yard.end(claim, Done())
    await store.settle([settlement])

    await store.settle([settlement, settlement._replace(fence=5, fence_after=5)])

    assert await yard.counted() == {State.COMPLETED: 1}


async def test_folding_changes_no_sum(yard: Yard, store: SqlStore) -> None:
    for _ in range(4):
        await yard.finished(Done())
        await yard.finished(FAILED, queue="slow")
        yard.clock.advance(3)
    before = (await store.counts()).states
    yard.clock.advance(120)

    folded = await store.fold(100)

    assert folded == 8
    assert (await store.counts()).states == before
    assert await store.fold(100) == 0


async def test_rollups_are_folded_again_as_they_age(yard: Yard, store: SqlStore) -> None:
    for _ in range(6):
        await yard.finished(Done())
        yard.clock.advance(10)
    # Six of 10 s, then one of a minute or two, then one or two of an hour.
    yard.clock.advance(120)
    fine = await store.fold(100)
    yard.clock.advance(3_700)
    coarse = await store.fold(100)
    yard.clock.advance(90_000)
    coarsest = await store.fold(100)

    assert fine == 6
    assert 5 <= coarse <= 7
    assert 1 <= coarsest <= 2
    assert await yard.counted() == {State.COMPLETED: 6}


async def test_what_is_young_is_not_folded(yard: Yard, store: SqlStore) -> None:
    await yard.finished(Done())
    yard.clock.advance(59)

    assert await store.fold(100) == 0


async def test_a_bin_is_folded_once_it_is_full(yard: Yard, store: SqlStore) -> None:
    await yard.finished(Done())
    folds = []
    for _ in range(3600 // 20 + 10):
        yard.clock.advance(20)
        folds.append(await store.fold(100))
        await yard.finished(Done())

    # One row each 20 s: at first one at a time, and after an hour three at once, a whole minute.
    assert set(folds[:10]) == {0, 1}
    assert max(folds) == 4
    assert (await yard.counted())[State.COMPLETED] == len(folds) + 1


async def test_folding_is_bounded(yard: Yard, store: SqlStore) -> None:
    for _ in range(5):
        await yard.finished(Done())
    yard.clock.advance(71)

    assert [await store.fold(2) for _ in range(4)] == [2, 2, 1, 0]
    assert await yard.counted() == {State.COMPLETED: 5}


async def test_jobs_past_retention_are_pruned_and_no_longer_counted(
    yard: Yard, store: SqlStore
) -> None:
    old = [await yard.finished(Done()), await yard.finished(FAILED)]
    yard.clock.advance(2 * DAY.total_seconds())
    young = await yard.finished(Done())

    await store.prune(DAY, 100)

    assert [await store.job(job_id) for job_id in old] == [None, None]
    assert await store.attempts(old[1]) == []
    assert await yard.state(young) is State.COMPLETED
    assert await yard.counted() == {State.COMPLETED: 1}


async def test_an_id_of_a_clock_that_ran_ahead_does_not_stop_pruning(
    yard: Yard, store: SqlStore
) -> None:
    ahead = await yard.finished(Done(), id=yard.id(ahead=5 * DAY))
    for _ in range(6):
        yard.clock.advance(DAY.total_seconds())
        await store.prune(30 * DAY, 100)

    kept = await yard.counted()
    yard.clock.advance(31 * DAY.total_seconds())
    await store.prune(30 * DAY, 100)

    assert kept == {State.COMPLETED: 1}
    assert await store.job(ahead) is None
    assert await yard.counted() == {}


async def test_live_jobs_are_never_pruned(yard: Yard, store: SqlStore) -> None:
    await yard.enqueue(2)
    await yard.running(type="other")
    yard.clock.advance(400 * DAY.total_seconds())

    await store.prune(DAY, 100)

    assert await yard.counted() == {State.PENDING: 2, State.RUNNING: 1}


async def test_pruning_is_bounded_and_ends(yard: Yard, store: SqlStore) -> None:
    for _ in range(5):
        await yard.finished(Done())
    yard.clock.advance(3 * DAY.total_seconds())

    for _ in range(4):
        await store.prune(DAY, 2)

    assert await yard.counted() == {}


async def test_keys_are_forgotten_after_their_window(yard: Yard, store: SqlStore) -> None:
    await yard.finished(key="k", key_window=timedelta(minutes=1))
    yard.clock.advance(61)
    await store.prune(DAY, 100)
    other = yard.new(key="k", payload='{"x":2}')

    [answer] = await store.enqueue([other])

    assert answer.id == other.id


async def test_a_key_outlives_a_job_that_was_pruned(yard: Yard, store: SqlStore) -> None:
    job_id = await yard.finished(key="k", key_window=30 * DAY)
    yard.clock.advance(3 * DAY.total_seconds())
    await store.prune(DAY, 100)

    [answer] = await store.enqueue([yard.new(key="k")])

    assert await store.job(job_id) is None
    assert answer == Enqueued(job_id, None, existing=True)
