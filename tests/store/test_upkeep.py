"""Promote, reclaim, park: jobs move when they must, never sooner, and nobody runs them twice."""

from datetime import timedelta

import pytest

from tests.store.yard import FAILED, LEASE, Yard
from windlass.core.job import Lane, NodeId, State
from windlass.core.outcome import Crashed, Done
from windlass.store.records import Gone, Promotion, Reclaimed
from windlass.store.sql_store import SqlStore

SECOND = timedelta(seconds=1)


async def test_a_due_job_is_promoted_and_one_that_is_not_waits(yard: Yard, store: SqlStore) -> None:
    [soon] = await yard.enqueue(delay=10 * SECOND, queue="a")
    [later] = await yard.enqueue(delay=25 * SECOND, queue="b")
    yard.clock.advance(10)

    promotion = await store.promote(100)

    assert promotion == Promotion(1, ["a"], 15.0)
    assert await yard.state(soon) is State.PENDING
    assert await yard.state(later) is State.SCHEDULED


async def test_nothing_is_promoted_a_microsecond_early(yard: Yard, store: SqlStore) -> None:
    await yard.enqueue(delay=10 * SECOND)
    yard.clock.advance(9.999999)

    early = await store.promote(100)
    yard.clock.advance(0.000001)
    due = await store.promote(100)

    assert early.count == 0
    assert early.next_in == pytest.approx(0.000001)
    assert due.count == 1


async def test_without_scheduled_jobs_there_is_no_next_time(store: SqlStore) -> None:
    assert await store.promote(100) == Promotion(0, [], None)


async def test_a_full_chunk_asks_for_the_next_one_at_once(yard: Yard, store: SqlStore) -> None:
    await yard.enqueue(5, delay=SECOND)
    yard.clock.advance(1)

    first, second = await store.promote(3), await store.promote(3)

    assert (first.count, first.next_in) == (3, 0.0)
    assert (second.count, second.next_in) == (2, None)


async def test_the_earliest_due_are_promoted_first(yard: Yard, store: SqlStore) -> None:
    [late] = await yard.enqueue(delay=3 * SECOND)
    [early] = await yard.enqueue(delay=SECOND)
    yard.clock.advance(5)

    await store.promote(1)

    assert await yard.state(early) is State.PENDING
    assert await yard.state(late) is State.SCHEDULED


async def test_a_promoted_job_stands_by_its_time_not_by_its_promotion(
    yard: Yard, store: SqlStore
) -> None:
    [scheduled] = await yard.enqueue(delay=SECOND)
    yard.clock.advance(2)
    [plain] = await yard.enqueue()
    yard.clock.advance(1)
    await store.promote(10)

    claims = await yard.claim(await yard.worker())

    assert [claim.id for claim in claims] == [scheduled, plain]


async def test_a_retry_is_promoted_when_it_is_due(yard: Yard, store: SqlStore) -> None:
    worker, claim = await yard.running()
    await yard.settle(claim, FAILED)
    yard.clock.advance(2)

    promotion = await store.promote(10)

    assert promotion.count == 1
    assert [one.fence for one in await yard.claim(worker)] == [2]


async def test_jobs_of_a_dismissed_worker_are_reclaimed_at_once(
    yard: Yard, store: SqlStore
) -> None:
    worker, claim = await yard.running(queue="post")
    await store.dismiss([worker.id])

    answer = await store.reclaim(yard.decide, 500)

    job = await yard.job(claim.id)
    assert answer == Reclaimed(1, ["post"])
    assert (job.state, job.lane, job.fence, job.worker) == (
        State.PENDING,
        Lane.ALONE,
        claim.fence + 1,
        None,
    )


async def test_jobs_of_a_node_that_left_are_reclaimed(yard: Yard, store: SqlStore) -> None:
    worker, claim = await yard.running()
    await store.leave(worker.node)

    assert await yard.reclaim(lapsed=False) == 1
    assert await yard.state(claim.id) is State.PENDING


async def test_jobs_of_a_node_known_to_be_dead_are_reclaimed_though_its_lease_goes_on(
    yard: Yard, store: SqlStore
) -> None:
    worker, claim = await yard.running()
    _, other = await yard.running()
    stranger = NodeId("6f0a7a9e-0000-4000-8000-000000000001")

    reclaimed = await store.reclaim(yard.decide, 500, Gone(dead=[stranger, worker.node]))

    assert reclaimed.count == 1
    states = [await yard.state(one.id) for one in (claim, other)]
    assert states == [State.PENDING, State.RUNNING]


async def test_a_lease_that_ran_out_is_judged_only_by_who_may_judge(yard: Yard) -> None:
    _, claim = await yard.running()
    yard.clock.advance(LEASE.total_seconds())

    spared = await yard.reclaim(lapsed=False)
    judged = await yard.reclaim(lapsed=True)

    assert (spared, judged) == (0, 1)
    assert await yard.state(claim.id) is State.PENDING


async def test_a_lease_that_ran_out_after_the_judgement_is_spared_though_it_comes_late(
    yard: Yard, store: SqlStore
) -> None:
    _, dead = await yard.running()
    yard.clock.advance(LEASE.total_seconds() / 2)
    _, cut_off = await yard.running()
    yard.clock.advance(LEASE.total_seconds() / 2)
    judged = await store.lapsed()
    yard.clock.advance(LEASE.total_seconds())

    reclaimed = await store.reclaim(yard.decide, 500, Gone(judged))

    assert reclaimed.count == 1
    states = [await yard.state(claim.id) for claim in (dead, cut_off)]
    assert states == [State.PENDING, State.RUNNING]


async def test_a_live_lease_is_spared_whatever_time_was_judged_by(
    yard: Yard, store: SqlStore
) -> None:
    await yard.running()
    set_ahead = yard.clock.now_us() + 10 * round(LEASE.total_seconds() * 1e6)

    reclaimed = await store.reclaim(yard.decide, 500, Gone(set_ahead))

    assert reclaimed.count == 0


async def test_a_live_lease_is_never_reclaimed(yard: Yard) -> None:
    _, claim = await yard.running()
    yard.clock.advance(LEASE.total_seconds() - 0.000001)

    assert await yard.reclaim() == 0
    assert await yard.state(claim.id) is State.RUNNING


async def test_what_is_reclaimed_is_not_reclaimed_again(yard: Yard, store: SqlStore) -> None:
    worker, _ = await yard.running()
    await store.dismiss([worker.id])

    assert [await yard.reclaim(), await yard.reclaim()] == [1, 0]


async def test_fences_grow_with_every_reclaim(yard: Yard, store: SqlStore) -> None:
    await yard.enqueue(max_crashes=50)
    fences = []
    lane = Lane.OPEN
    for _ in range(4):
        worker = await yard.worker()
        [claim] = await yard.claim(worker, lane=lane)
        fences.append(claim.fence)
        await store.dismiss([worker.id])
        await yard.reclaim()
        lane = Lane.ALONE

    assert fences == [1, 3, 5, 7]


async def test_a_job_that_was_asked_to_cancel_is_reclaimed_as_cancelled(
    yard: Yard, store: SqlStore
) -> None:
    worker, claim = await yard.running()
    await store.cancel([claim.id])
    await store.dismiss([worker.id])

    await yard.reclaim()

    job = await yard.job(claim.id)
    assert (job.state, job.fence) == (State.CANCELLED, claim.fence + 1)


async def test_the_worker_of_a_job_that_was_reclaimed_to_its_end_is_refused(
    yard: Yard, store: SqlStore
) -> None:
    worker, claim = await yard.running()
    await store.cancel([claim.id])
    await store.dismiss([worker.id])
    await yard.reclaim()
    late = yard.end(claim, Done("1"))

    assert await store.settle([late]) == [late]
    assert await yard.state(claim.id) is State.CANCELLED


async def test_a_suspect_that_kills_its_process_thrice_has_failed(
    yard: Yard, store: SqlStore
) -> None:
    worker, claim = await yard.running()
    await store.dismiss([worker.id])
    await yard.reclaim()
    for _ in range(3):
        alone = await yard.worker(alone=True)
        [claim] = await yard.claim(alone, lane=Lane.ALONE)
        await store.dismiss([alone.id])
        await yard.reclaim()
        yard.clock.advance(10)
        await store.promote(10)

    job = await yard.job(claim.id)
    assert (job.state, job.reason, job.crashes) == (State.FAILED, "crash", 3)
    assert (job.attempts, job.failures) == (0, 0)


async def test_a_chunk_of_orphans_is_bounded(yard: Yard, store: SqlStore) -> None:
    worker = await yard.worker()
    await yard.enqueue(5)
    await yard.claim(worker)
    await store.dismiss([worker.id])

    counts = [(await store.reclaim(yard.decide, 2)).count for _ in range(4)]

    assert counts == [2, 2, 1, 0]


async def test_orphans_of_several_workers_are_settled_together(yard: Yard, store: SqlStore) -> None:
    workers = [await yard.worker(alone=number == 1) for number in range(3)]
    await yard.enqueue(6, max_crashes=1)
    claims = [await yard.claim(worker, 2) for worker in workers]
    await store.dismiss([worker.id for worker in workers])

    assert await yard.reclaim() == 6

    states = [[await yard.state(claim.id) for claim in part] for part in claims]
    assert states == [[State.PENDING] * 2, [State.FAILED] * 2, [State.PENDING] * 2]


async def test_a_decision_that_fails_changes_nothing(yard: Yard, store: SqlStore) -> None:
    worker, claim = await yard.running()
    await store.dismiss([worker.id])

    with pytest.raises(ZeroDivisionError):
        await store.reclaim(lambda _: 1 // 0, 500)  # type: ignore[arg-type,return-value]

    assert await yard.state(claim.id) is State.RUNNING
    assert await yard.reclaim() == 1


async def test_jobs_of_a_paused_queue_are_parked_and_come_back(yard: Yard, store: SqlStore) -> None:
    worker = await yard.worker()
    held = await yard.enqueue(2, queue="slow")
    wide = await yard.enqueue(queue="slow", threads=2)
    [free] = await yard.enqueue(queue="fast")
    await store.pause("slow", by="ada")

    parked = await store.park(100)

    assert parked == 3
    assert {(await yard.job(job_id)).lane for job_id in [*held, *wide]} == {Lane.PARKED}
    assert (await yard.job(free)).lane is Lane.OPEN
    assert await store.unpark(100) == 0
    await store.resume("slow")
    assert await store.unpark(100) == 3
    assert [claim.id for claim in await yard.claim(worker)] == [*held, free]
    assert [claim.id for claim in await yard.claim(worker, lane=Lane.THREADS)] == wide


async def test_a_type_or_queue_that_nobody_serves_is_parked(yard: Yard, store: SqlStore) -> None:
    await yard.worker("mail", queues=["fast"])
    [unknown] = await yard.enqueue(type="video", queue="fast")
    [unserved] = await yard.enqueue(type="mail", queue="slow")
    [good] = await yard.enqueue(type="mail", queue="fast")

    parked = await store.park(100)

    assert parked == 2
    lanes = [(await yard.job(job_id)).lane for job_id in (unknown, unserved, good)]
    assert lanes == [Lane.PARKED, Lane.PARKED, Lane.OPEN]


async def test_a_worker_that_knows_a_parked_job_brings_it_back(yard: Yard, store: SqlStore) -> None:
    await yard.worker("mail")
    [video] = await yard.enqueue(type="video")
    await store.park(100)
    worker = await yard.worker("video")

    moved = await store.unpark(100)

    assert moved == 1
    assert [claim.id for claim in await yard.claim(worker)] == [video]


async def test_nothing_is_parked_while_no_worker_is_there(yard: Yard, store: SqlStore) -> None:
    [job_id] = await yard.enqueue()

    assert await store.park(100) == 0
    assert (await yard.job(job_id)).lane is Lane.OPEN


async def test_workers_without_a_lease_do_not_count_for_parking(
    yard: Yard, store: SqlStore
) -> None:
    await yard.worker("mail")
    yard.clock.advance(20)
    await yard.worker("video")
    await yard.enqueue(type="mail")

    assert await store.park(100) == 1


async def test_parking_moves_a_chunk_at_a_time(yard: Yard, store: SqlStore) -> None:
    await yard.worker("mail")
    await yard.enqueue(5, type="video")

    assert [await store.park(2) for _ in range(4)] == [2, 2, 1, 0]


async def test_unparking_looks_at_all_in_chunks(yard: Yard, store: SqlStore) -> None:
    worker = await yard.worker("mail", "video")
    mixed = [(await yard.enqueue(queue=f"q{n % 2}"))[0] for n in range(7)]
    await store.pause("q0", by="ada")
    await store.pause("q1", by="ada")
    await store.park(100)
    await store.resume("q1")

    moved = await store.unpark(2)

    assert moved == 3
    assert [claim.id for claim in await yard.claim(worker)] == mixed[1::2]


async def test_a_parked_job_keeps_its_place_and_its_attempts(yard: Yard, store: SqlStore) -> None:
    worker = await yard.worker()
    [first] = await yard.enqueue(queue="slow")
    await store.pause("slow", by="ada")
    await store.park(100)
    yard.clock.advance(1)
    [second] = await yard.enqueue(queue="fast")
    await store.resume("slow")
    await store.unpark(100)

    claims = await yard.claim(worker)

    assert [(claim.id, claim.fence) for claim in claims] == [(first, 1), (second, 1)]


async def test_suspects_are_never_parked(yard: Yard, store: SqlStore) -> None:
    worker, claim = await yard.running()
    await yard.settle(claim, Crashed(alone=False))
    await store.pause("default", by="ada")

    assert await store.park(100) == 0
    assert await yard.claim(worker, lane=Lane.ALONE) == []
    await store.resume("default")
    assert len(await yard.claim(worker, lane=Lane.ALONE)) == 1
