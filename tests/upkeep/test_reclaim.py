"""Jobs of the dead run again, suspects run alone, and nobody is judged too early."""

from typing import Any

from tests.embedded import Fleet, OwnClock
from tests.recorder import Recorder
from windlass.bell.base import WIDE, Ear
from windlass.bell.local import LocalBell
from windlass.clock import SystemChance
from windlass.core.backoff import DEFAULT_BACKOFF
from windlass.core.claim import Claim
from windlass.core.job import Job, JobId, Lane, State, WorkerId
from windlass.core.outcome import Done, Ending, Failed
from windlass.core.settle import Settlement, settle
from windlass.observe.events import ChoreFailed, JobsReclaimed
from windlass.store.records import Gone
from windlass.store.sql_store import SqlStore
from windlass.store.wills import NOTHING, Ends
from windlass.upkeep.reclaim import EndsOf, reclaim


async def run(
    store: SqlStore,
    bell: LocalBell,
    observer: Recorder,
    *,
    lapsed: bool = True,
    ends: EndsOf = lambda _: NOTHING,
) -> None:
    gone = Gone(await store.lapsed() if lapsed else None)
    await reclaim(store, bell, observer, chance=SystemChance(), gone=gone, ends=ends)


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


async def test_what_had_ended_when_its_worker_died_has_ended(
    store: SqlStore, bell: LocalBell, observer: Recorder, fleet: Fleet, clock: OwnClock
) -> None:
    done, failed, lost = [await fleet.job() for _ in range(3)]
    estate = Estate(await claimed(fleet))
    estate.leave(done, Done('"ok"'), clock)
    estate.leave(failed, Failed("it broke"), clock)
    clock.advance(16)

    await run(store, bell, observer, ends=estate.ends)

    ended, again, orphan = [await see(store, job) for job in (done, failed, lost)]
    assert (ended.state, ended.result, ended.attempts) == (State.COMPLETED, '"ok"', 1)
    assert (again.state, again.failures, again.error) == (State.SCHEDULED, 1, "it broke")
    assert (orphan.state, orphan.attempts) == (State.PENDING, 0)
    assert observer.of(JobsReclaimed) == [JobsReclaimed(3, ended=2)]


async def test_the_end_of_an_earlier_attempt_is_not_that_of_a_later_one(
    store: SqlStore, bell: LocalBell, observer: Recorder, fleet: Fleet, clock: OwnClock
) -> None:
    job = await fleet.job()
    estate = Estate(await claimed(fleet))
    estate.leave(job, Done(), clock, fence=0)
    clock.advance(16)

    await run(store, bell, observer, ends=estate.ends)

    assert (await see(store, job)).state is State.PENDING


async def test_who_was_asked_to_stop_and_failed_is_cancelled_and_not_tried_again(
    store: SqlStore, bell: LocalBell, observer: Recorder, fleet: Fleet, clock: OwnClock
) -> None:
    failed, done = await fleet.job(), await fleet.job()
    estate = Estate(await claimed(fleet))
    estate.leave(failed, Failed("it broke"), clock)
    estate.leave(done, Done(), clock)
    await store.cancel([failed, done])
    clock.advance(16)

    await run(store, bell, observer, ends=estate.ends)

    assert (await see(store, failed)).state is State.CANCELLED
    assert (await see(store, done)).state is State.COMPLETED


async def test_an_end_that_cannot_be_stored_keeps_nobody_from_being_reclaimed(
    store: SqlStore, bell: LocalBell, observer: Recorder, fleet: Fleet, clock: OwnClock
) -> None:
    unfit, other = await fleet.job(), await fleet.job()
    estate = Estate(await claimed(fleet))
    estate.leave(unfit, Done(), clock, attempts=2**80)
    clock.advance(16)

    await run(store, bell, observer, ends=estate.ends)

    assert [(await see(store, job)).state for job in (unfit, other)] == [State.PENDING] * 2
    [told] = observer.of(ChoreFailed)
    assert told.chore == "reclaim"


async def claimed(fleet: Fleet) -> list[Claim]:
    """All jobs, as claims of a worker that has a supervisor."""
    node = await fleet.node()
    return await fleet.claim(node, await fleet.worker(node, "mail", pid=2), "mail")


class Estate:
    """What a worker left behind."""

    def __init__(self, claims: list[Claim]) -> None:
        self._claims = {claim.id: claim for claim in claims}
        self._ends: dict[tuple[JobId, int], Settlement] = {}

    def leave(self, job: JobId, ending: Ending, clock: OwnClock, **wrong: Any) -> None:
        """It ended so just now, or so it says."""
        now = clock.monotonic()
        claim = self._claims[job]
        end = settle(
            claim, ending, backoff=DEFAULT_BACKOFF, chance=0.0, started=now, ended=now
        )._replace(**wrong)
        self._ends[end.id, end.fence] = end

    def ends(self, worker: WorkerId) -> Ends:
        """By job and fence."""
        return {key: end for key, end in self._ends.items() if end.worker == worker}
