"""Jobs that nobody may take stand aside, and come back when somebody may."""

from tests.embedded import Fleet, OwnClock
from tests.recorder import Recorder
from windlass.bell.base import EVERY, Ear
from windlass.bell.local import LocalBell
from windlass.core.job import JobId, Lane
from windlass.observe.events import JobsParked, JobsUnparked
from windlass.store.sql_store import SqlStore
from windlass.upkeep.park import park
from windlass.upkeep.unpark import unpark


async def lane(store: SqlStore, job_id: JobId) -> Lane | None:
    found = await store.job(job_id)
    assert found is not None
    return found.lane


async def test_a_type_that_no_worker_knows_is_parked_until_one_does(
    store: SqlStore, bell: LocalBell, observer: Recorder, fleet: Fleet, ear: Ear
) -> None:
    node = await fleet.node()
    await fleet.worker(node, "mail")
    job = await fleet.job("video")

    await park(store, observer)
    parked = await lane(store, job)
    await fleet.worker(node, "video")
    await unpark(store, bell, observer)

    assert parked is Lane.PARKED
    assert await lane(store, job) is Lane.OPEN
    assert await ear.wait() == [EVERY]
    assert (observer.of(JobsParked), observer.of(JobsUnparked)) == (
        [JobsParked(1)],
        [JobsUnparked(1)],
    )


async def test_a_paused_queue_is_parked_and_comes_back_when_it_is_resumed(
    store: SqlStore, bell: LocalBell, observer: Recorder, fleet: Fleet, clock: OwnClock
) -> None:
    await fleet.worker(await fleet.node(), "mail")
    job = await fleet.job()
    await store.pause("default", by="ada")

    await park(store, observer)
    parked = await lane(store, job)
    await store.resume("default")
    await unpark(store, bell, observer)

    assert parked is Lane.PARKED
    assert await lane(store, job) is Lane.OPEN


async def test_where_everything_can_run_nothing_is_told(
    store: SqlStore, bell: LocalBell, observer: Recorder, fleet: Fleet
) -> None:
    await fleet.worker(await fleet.node(), "mail")
    await fleet.job()

    assert await park(store, observer) is None
    await unpark(store, bell, observer)

    assert observer.events == []
