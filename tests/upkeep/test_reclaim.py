"""Jobs of the dead run again, suspects run alone, and nobody is judged too early."""

from tests.embedded import Fleet, OwnClock
from tests.recorder import Recorder
from windlass.bell.base import WIDE, Ear
from windlass.bell.local import LocalBell
from windlass.clock import SystemChance
from windlass.core.job import Job, JobId, Lane, State
from windlass.observe.events import JobsReclaimed
from windlass.store.records import Gone
from windlass.store.sql_store import SqlStore
from windlass.upkeep.reclaim import reclaim


async def run(store: SqlStore, bell: LocalBell, observer: Recorder, *, lapsed: bool = True) -> None:
    lapsed_by = await store.lapsed() if lapsed else None
    await reclaim(store, bell, observer, chance=SystemChance(), gone=Gone(lapsed_by))


async def see(store: SqlStore, job_id: JobId) -> Job:
    found = await store.job(job_id)
    assert found is not None
    return found


async def test_a_job_of_a_dismissed_worker_becomes_a_suspect_uncharged(
    store: SqlStore, bell: LocalBell, observer: Recorder, fleet: Fleet, ear: Ear
) -> None:
    node = await fleet.node()
    worker = await fleet.worker(node, "mail")
    job = await fleet.job()
    await fleet.claim(node, worker, "mail")
    await store.dismiss([worker])

    await run(store, bell, observer, lapsed=False)

    found = await see(store, job)
    assert (found.state, found.lane, found.crashes) == (State.PENDING, Lane.ALONE, 0)
    assert await ear.wait() == ["default", WIDE]
    assert observer.of(JobsReclaimed) == [JobsReclaimed(1)]


async def test_a_job_of_a_lost_node_is_no_suspect_the_first_time(
    store: SqlStore, bell: LocalBell, observer: Recorder, fleet: Fleet, clock: OwnClock
) -> None:
    job = await fleet.job()
    lanes = []

    for _ in range(2):
        node = await fleet.node()
        worker = await fleet.worker(node, "mail", pid=2)
        await fleet.claim(node, worker, "mail")
        clock.advance(16)
        await run(store, bell, observer)
        lanes.append((await see(store, job)).lane)

    assert lanes == [Lane.OPEN, Lane.ALONE]
    assert [one.error for one in await store.attempts(job)] == [
        "the node running it was lost",
        "the process running it died",
    ]


async def test_a_job_that_ended_the_program_it_ran_in_is_a_suspect(
    store: SqlStore, bell: LocalBell, observer: Recorder, fleet: Fleet, clock: OwnClock
) -> None:
    node = await fleet.node()
    embedded = await fleet.worker(node, "mail")
    job = await fleet.job()
    await fleet.claim(node, embedded, "mail")
    clock.advance(16)

    await run(store, bell, observer)

    assert (await see(store, job)).lane is Lane.ALONE


async def test_a_suspect_stays_one_when_its_node_is_lost(
    store: SqlStore, bell: LocalBell, observer: Recorder, fleet: Fleet, clock: OwnClock
) -> None:
    node = await fleet.node()
    worker = await fleet.worker(node, "mail", pid=2)
    job = await fleet.job()
    await fleet.claim(node, worker, "mail")
    await store.dismiss([worker])
    await run(store, bell, observer)
    quarantine = await fleet.worker(node, "mail", alone=True, pid=3)
    await fleet.claim(node, quarantine, "mail", lane=Lane.ALONE)
    clock.advance(16)

    await run(store, bell, observer)

    found = await see(store, job)
    assert (found.lane, found.crashes) == (Lane.ALONE, 1)


async def test_a_job_whose_worker_ran_nothing_else_is_charged_with_the_crash(
    store: SqlStore, bell: LocalBell, observer: Recorder, fleet: Fleet
) -> None:
    node = await fleet.node()
    first = await fleet.worker(node, "mail")
    job = await fleet.job()
    await fleet.claim(node, first, "mail")
    await store.dismiss([first])
    await run(store, bell, observer)
    quarantine = await fleet.worker(node, "mail", alone=True)
    [claim] = await fleet.claim(node, quarantine, "mail", lane=Lane.ALONE)
    await store.dismiss([quarantine])

    await run(store, bell, observer)

    found = await see(store, job)
    assert claim.id == job
    assert (found.state, found.crashes) == (State.SCHEDULED, 1)


async def test_a_job_that_somebody_asked_to_cancel_is_cancelled(
    store: SqlStore, bell: LocalBell, observer: Recorder, fleet: Fleet
) -> None:
    node = await fleet.node()
    worker = await fleet.worker(node, "mail")
    job = await fleet.job()
    await fleet.claim(node, worker, "mail")
    await store.cancel([job])
    await store.dismiss([worker])

    await run(store, bell, observer)

    assert (await see(store, job)).state is State.CANCELLED


async def test_a_lapsed_lease_is_no_proof_to_a_node_that_may_not_judge(
    store: SqlStore, bell: LocalBell, observer: Recorder, fleet: Fleet, clock: OwnClock
) -> None:
    node = await fleet.node()
    worker = await fleet.worker(node, "mail")
    job = await fleet.job()
    await fleet.claim(node, worker, "mail")
    clock.advance(16)

    await run(store, bell, observer, lapsed=False)
    spared = await see(store, job)
    await run(store, bell, observer, lapsed=True)
    taken = await see(store, job)

    assert spared.state is State.RUNNING
    assert taken.state is State.PENDING


async def test_two_at_once_take_each_job_once(
    store: SqlStore, bell: LocalBell, observer: Recorder, fleet: Fleet
) -> None:
    node = await fleet.node()
    worker = await fleet.worker(node, "mail")
    job = await fleet.job()
    [claim] = await fleet.claim(node, worker, "mail")
    await store.dismiss([worker])

    await run(store, bell, observer)
    await run(store, bell, observer)

    assert (await see(store, job)).fence == claim.fence + 1
    assert observer.of(JobsReclaimed) == [JobsReclaimed(1)]
