"""Cancel, retry, delete, pause, aging: what people do."""

from datetime import timedelta

import pytest

from tests.store.yard import FAILED, Yard
from windlass.core.job import JobId, Lane, State
from windlass.core.outcome import Cancelled, Done
from windlass.store.records import Enqueued, Kept, LogLine, Progress
from windlass.store.sql_store import SqlStore

NOBODY = JobId("00000000-0000-7000-8000-000000000000")


async def test_a_waiting_job_is_cancelled_at_once(yard: Yard, store: SqlStore) -> None:
    [pending] = await yard.enqueue()
    [scheduled] = await yard.enqueue(delay=timedelta(hours=1))

    live = await store.cancel([pending, scheduled])

    assert live == []
    for job_id in (pending, scheduled):
        job = await yard.job(job_id)
        assert (job.state, job.reason, job.attempts) == (State.CANCELLED, "cancelled", 0)
        assert job.finished_at is not None
        assert job.started_at is None
    assert await yard.claim(await yard.worker()) == []


async def test_a_running_job_is_asked_to_stop(yard: Yard, store: SqlStore) -> None:
    _, claim = await yard.running()

    live = await store.cancel([claim.id])

    job = await yard.job(claim.id)
    assert live == [claim.id]
    assert (job.state, job.fence, job.cancel_requested) == (State.RUNNING, claim.fence, True)


async def test_asking_twice_changes_nothing(yard: Yard, store: SqlStore) -> None:
    worker, claim = await yard.running()
    await store.cancel([claim.id])
    yard.clock.advance(1)

    assert await store.cancel([claim.id]) == [claim.id]
    assert len(await store.asked(worker.node)) == 1


async def test_cancelling_what_is_finished_or_unknown_changes_nothing(
    yard: Yard, store: SqlStore
) -> None:
    done = await yard.finished()
    before = await yard.job(done)

    assert await store.cancel([done, NOBODY]) == []
    assert await yard.job(done) == before


async def test_cancelling_many_at_once_parts_waiting_from_running(
    yard: Yard, store: SqlStore
) -> None:
    worker = await yard.worker()
    ids = await yard.enqueue(6)
    running = [claim.id for claim in await yard.claim(worker, 2)]

    live = await store.cancel(ids)

    assert sorted(live) == sorted(running)
    assert await yard.counted() == {State.RUNNING: 2, State.CANCELLED: 4}


async def test_cancelling_nothing_is_fine(store: SqlStore) -> None:
    assert await store.cancel([]) == []


@pytest.mark.parametrize("ending", [FAILED, Cancelled()], ids=["failed", "cancelled"])
async def test_a_job_is_retried_under_its_own_id(
    yard: Yard, store: SqlStore, ending: object
) -> None:
    worker, claim = await yard.running(max_attempts=1, threads=2, priority=4, payload='{"a":1}')
    await store.settle([yard.end(claim, ending)])  # type: ignore[arg-type]
    yard.clock.advance(7)
    before = await yard.job(claim.id)

    retried = await store.retry([claim.id])

    job = await yard.job(claim.id)
    assert retried == [claim.id]
    assert (job.state, job.lane, job.fence) == (State.PENDING, Lane.THREADS, claim.fence + 1)
    assert (job.attempts, job.failures, job.crashes) == (before.attempts, 0, 0)
    assert (job.created_at, job.payload) == (before.created_at, '{"a":1}')
    [again] = await yard.claim(worker, lane=Lane.THREADS)
    assert again.fence == claim.fence + 2
    assert again.rank == yard.clock.now_us() - 4 * 60_000_000


async def test_a_completed_job_is_not_retried(yard: Yard, store: SqlStore) -> None:
    done = await yard.finished()

    assert await store.retry([done, NOBODY]) == []
    assert await yard.state(done) is State.COMPLETED


async def test_a_live_job_is_not_retried(yard: Yard, store: SqlStore) -> None:
    [job_id] = await yard.enqueue()
    before = await yard.job(job_id)

    assert await store.retry([job_id]) == []
    assert await yard.job(job_id) == before


async def test_a_retried_job_has_all_its_attempts_again_and_keeps_the_old_ones(
    yard: Yard, store: SqlStore
) -> None:
    job_id = await yard.finished(FAILED)
    await store.retry([job_id])
    [claim] = await yard.claim(await yard.worker())

    await yard.settle(claim, FAILED)

    job = await yard.job(job_id)
    assert (job.state, job.attempts, job.failures) == (State.FAILED, 2, 1)
    assert len(await store.attempts(job_id)) == 2


async def test_a_finished_job_is_deleted_with_all_that_was_kept_with_it(
    yard: Yard, store: SqlStore
) -> None:
    _, claim = await yard.running(max_attempts=1)
    await store.note(
        [Progress(job=claim.id, fence=claim.fence, fraction=0.5)],
        [LogLine(job=claim.id, fence=claim.fence, number=1, level="info", message="hi")],
    )
    await store.keep(claim.id, claim.fence, Kept(name="a", media_type="text/plain", content=b"x"))
    await yard.settle(claim, FAILED)

    deleted = await store.delete([claim.id])

    assert deleted == [claim.id]
    assert await store.job(claim.id) is None
    assert await store.attempts(claim.id) == []
    assert await store.lines(claim.id) == []
    assert await store.progress(claim.id) is None
    assert await store.kept(claim.id, "a") is None


async def test_a_live_job_is_not_deleted(yard: Yard, store: SqlStore) -> None:
    [waiting] = await yard.enqueue()
    _, claim = await yard.running(type="other")

    assert await store.delete([waiting, claim.id, NOBODY]) == []
    assert await store.delete([]) == []
    assert await yard.counted() == {State.PENDING: 1, State.RUNNING: 1}


async def test_a_deleted_job_can_be_enqueued_again(yard: Yard, store: SqlStore) -> None:
    job_id = await yard.finished()
    await store.delete([job_id])

    await store.enqueue([yard.new(id=job_id)])

    assert await yard.state(job_id) is State.PENDING


async def test_a_job_that_is_deleted_takes_its_key_along(yard: Yard, store: SqlStore) -> None:
    old = await yard.finished(FAILED, key="k")
    await store.delete([old])
    fresh = yard.new(key="k", payload='{"other":true}')

    [answer] = await store.enqueue([fresh])

    assert answer == Enqueued(fresh.id, State.PENDING)


async def test_a_key_that_another_job_has_by_now_stays_with_it(yard: Yard, store: SqlStore) -> None:
    old = await yard.finished(key="k", key_window=timedelta(minutes=10))
    yard.clock.advance(601)
    young = await yard.finished(key="k")
    await store.delete([old])

    [answer] = await store.enqueue([yard.new(key="k")])

    assert answer == Enqueued(young, State.COMPLETED, existing=True)


async def test_pausing_twice_keeps_who_did_it_first(yard: Yard, store: SqlStore) -> None:
    await store.pause("slow", by="ada")
    yard.clock.advance(5)
    await store.pause("slow", by="bob")

    [queue] = await store.queues()

    assert (queue.name, queue.paused_by, queue.depth) == ("slow", "ada", 0)


async def test_resuming_what_is_not_paused_is_fine(store: SqlStore) -> None:
    await store.resume("fast")

    assert await store.queues() == []


async def test_aging_is_a_minute_until_it_is_changed(store: SqlStore) -> None:
    before = await store.aging()

    await store.set_aging(timedelta(seconds=1))

    assert (before, await store.aging()) == (timedelta(seconds=60), timedelta(seconds=1))


async def test_a_new_aging_holds_for_jobs_to_come_and_after_reranking_for_those_that_wait(
    yard: Yard, store: SqlStore
) -> None:
    [old] = await yard.enqueue()
    yard.clock.advance(30)
    [urgent] = await yard.enqueue(priority=1)
    await store.set_aging(timedelta(seconds=1))

    last = await store.rerank(None, 100)

    assert last == urgent
    assert await store.rerank(last, 100) is None
    claims = await yard.claim(await yard.worker())
    assert [claim.id for claim in claims] == [old, urgent]


async def test_reranking_goes_in_chunks_of_ids_and_leaves_running_jobs_alone(
    yard: Yard, store: SqlStore
) -> None:
    worker = await yard.worker()
    ids = sorted(await yard.enqueue(5, priority=2))
    [claim] = await yard.claim(worker, 1)
    await store.set_aging(timedelta(seconds=1))
    seen = []
    after = None

    while (after := await store.rerank(after, 2)) is not None:
        seen.append(after)

    assert seen == [ids[1], ids[3], ids[4]]
    [held] = await store.held(worker.id)
    assert held.rank == claim.rank
    ranks = {one.rank for one in await yard.claim(worker)}
    assert ranks == {yard.clock.now_us() - 2_000_000}


async def test_scheduled_jobs_are_reranked_too(yard: Yard, store: SqlStore) -> None:
    await yard.enqueue(priority=1, delay=timedelta(seconds=5))
    start = yard.clock.now_us()
    await store.set_aging(timedelta(seconds=2))
    await store.rerank(None, 10)
    yard.clock.advance(5)
    await store.promote(10)

    [claim] = await yard.claim(await yard.worker())

    assert claim.rank == start + 5_000_000 - 2_000_000


async def test_a_finished_job_stays_finished_while_another_is_retried(
    yard: Yard, store: SqlStore
) -> None:
    one, two = await yard.finished(FAILED), await yard.finished(FAILED)

    await store.retry([one])

    assert await yard.state(one) is State.PENDING
    assert await yard.state(two) is State.FAILED
    assert await yard.settle((await yard.claim(await yard.worker()))[0], Done()) == []


async def test_jobs_for_later_are_put_in_line_at_once(yard: Yard, store: SqlStore) -> None:
    [later] = await yard.enqueue(delay=timedelta(hours=1), priority=3)
    [pending] = await yard.enqueue()
    yard.clock.advance(60)

    moved = await store.run_now([later, pending, NOBODY])

    job = await yard.job(later)
    assert moved == [later]
    assert (job.state, job.run_at - job.created_at) == (State.PENDING, timedelta(minutes=1))
    assert [claim.id for claim in await yard.claim(await yard.worker())] == [later, pending]


async def test_a_job_that_waits_for_its_retry_is_tried_at_once(yard: Yard, store: SqlStore) -> None:
    worker, claim = await yard.running(max_attempts=3)
    await yard.settle(claim, FAILED)

    await store.run_now([claim.id])

    [again] = await yard.claim(worker)
    assert (again.id, again.failures) == (claim.id, 1)


async def test_replays_are_linked_both_ways_as_long_as_either_is_there(
    yard: Yard, store: SqlStore
) -> None:
    old = await yard.finished(FAILED)
    never_kept, new = yard.id(), yard.new()
    await store.link(never_kept, old)
    await store.link(new.id, old)
    await store.link(new.id, old)
    await store.enqueue([new])

    of_old, of_new = await store.links(old), await store.links(new.id)
    yard.clock.advance(100)
    await store.delete([old])
    await store.prune(timedelta(seconds=50), 100)
    kept = await store.links(new.id)
    await store.cancel([new.id])
    await store.delete([new.id])
    await store.prune(timedelta(seconds=50), 100)

    assert of_old == (None, [new.id])
    assert of_new == kept == (old, [])
    assert await store.links(new.id) == (None, [])


async def test_the_newest_jobs_are_told_whatever_their_state(yard: Yard, store: SqlStore) -> None:
    done = await yard.finished(Done())
    [pending] = await yard.enqueue()

    newest = await store.newest()

    assert newest == [(pending, "pending", 0), (done, "completed", 1)]
