"""What is old is folded and pruned, and what is not stays."""

from datetime import timedelta

from tests.embedded import Fleet, OwnClock
from tests.recorder import Recorder
from windlass.core.job import State
from windlass.observe.events import JobsPruned
from windlass.store.sql_store import SqlStore
from windlass.upkeep.fold import fold
from windlass.upkeep.prune import prune

WEEK = timedelta(days=7)


async def test_a_finished_job_is_pruned_once_it_was_kept_long_enough(
    store: SqlStore, observer: Recorder, fleet: Fleet, clock: OwnClock
) -> None:
    job = await fleet.job()
    await store.cancel([job])

    clock.advance(6 * 86_400)
    await prune(store, observer, retention=WEEK)
    kept = await store.job(job)
    clock.advance(2 * 86_400)
    await prune(store, observer, retention=WEEK)

    assert kept is not None
    assert await store.job(job) is None
    assert observer.of(JobsPruned) == [JobsPruned(1)]


async def test_a_job_that_still_waits_is_never_pruned(
    store: SqlStore, observer: Recorder, fleet: Fleet, clock: OwnClock
) -> None:
    job = await fleet.job()
    clock.advance(365 * 86_400)

    await prune(store, observer, retention=WEEK)

    assert await store.job(job) is not None


async def test_folding_changes_no_sum(
    store: SqlStore, observer: Recorder, fleet: Fleet, clock: OwnClock
) -> None:
    for _ in range(3):
        await store.cancel([await fleet.job()])
        clock.advance(1)
    before = (await store.counts()).states
    clock.advance(2 * 86_400)

    await fold(store, observer)

    assert (await store.counts()).states == before
    assert before[State.CANCELLED] == 3
