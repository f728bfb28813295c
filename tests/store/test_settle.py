"""Settle: an attempt ends once, and only for the one who holds its claim."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.store.yard import BACKOFF, FAILED, Yard
from windlass.core.job import Lane, State, WorkerId
from windlass.core.outcome import Cancelled, Crashed, Done, Ending, Failed, HandedBack, Snoozed
from windlass.core.settle import settle
from windlass.store.settling import finish, returned
from windlass.store.sql_store import SqlStore


async def test_a_done_job_is_in_history_with_its_result_and_its_times(
    yard: Yard, store: SqlStore
) -> None:
    _, claim = await yard.running(payload='{"n":1}', name="one")
    yard.clock.advance(3)

    refused = await store.settle([yard.end(claim, Done('{"sum":3}'), ran=2.0)])

    job = await yard.job(claim.id)
    assert refused == []
    assert (job.state, job.result, job.error, job.reason) == (
        State.COMPLETED,
        '{"sum":3}',
        None,
        None,
    )
    assert (job.attempts, job.failures, job.fence, job.worker) == (1, 0, 1, claim.worker)
    assert (job.payload, job.name, job.lane) == ('{"n":1}', "one", None)
    assert job.finished_at == now(yard)
    assert job.execution_time == timedelta(seconds=2)
    assert job.queue_time == timedelta(seconds=1)
    assert job.total_time == timedelta(seconds=3)
    assert await store.attempts(claim.id) == []


async def test_the_store_answers_how_many_it_settled(yard: Yard, store: SqlStore) -> None:
    worker = await yard.worker()
    await yard.enqueue(3)
    claims = await yard.claim(worker)
    good = [yard.end(claim, Done()) for claim in claims]
    stale = good[0]._replace(fence=7)

    answer = await store.database.write(finish(worker.id, [stale, *good[1:]], 0.0))

    assert answer[0][0] == 2


async def test_a_failure_waits_for_its_retry_and_is_kept(yard: Yard, store: SqlStore) -> None:
    _, claim = await yard.running()
    yard.clock.advance(1)

    refused = await store.settle([yard.end(claim, FAILED, ran=0.5)])

    job = await yard.job(claim.id)
    assert refused == []
    assert (job.state, job.lane, job.error) == (State.SCHEDULED, Lane.OPEN, "it broke")
    assert (job.attempts, job.failures, job.fence, job.worker) == (1, 1, 1, None)
    assert job.run_at == now(yard) + timedelta(seconds=2)
    [attempt] = await store.attempts(claim.id)
    assert (attempt.fence, attempt.error, attempt.trace) == (1, "it broke", "line 1")
    assert (attempt.worker, attempt.reason) == (claim.worker, "failed")
    assert attempt.finished_at - (attempt.started_at or now(yard)) == timedelta(seconds=0.5)


async def test_the_last_failure_is_final(yard: Yard, store: SqlStore) -> None:
    job_id = await yard.finished(FAILED)

    job = await yard.job(job_id)
    assert (job.state, job.error, job.reason) == (State.FAILED, "it broke", "attempts")
    assert (job.attempts, job.failures) == (1, 1)
    assert [attempt.error for attempt in await store.attempts(job_id)] == ["it broke"]


async def test_every_failed_attempt_is_kept_oldest_first(yard: Yard, store: SqlStore) -> None:
    worker = await yard.worker()
    [job_id] = await yard.enqueue(max_attempts=3)
    for number in range(3):
        [claim] = await yard.claim(worker)
        await yard.settle(claim, Failed(f"error {number}"))
        yard.clock.advance(10)
        await store.renew(worker.node, timedelta(seconds=15))
        await store.promote(10)

    attempts = await store.attempts(job_id)

    assert [attempt.error for attempt in attempts] == ["error 0", "error 1", "error 2"]
    assert [attempt.fence for attempt in attempts] == [1, 2, 3]
    assert (await yard.job(job_id)).state is State.FAILED


async def test_a_job_that_works_in_the_end_shows_no_error(yard: Yard, store: SqlStore) -> None:
    worker = await yard.worker()
    [job_id] = await yard.enqueue()
    [claim] = await yard.claim(worker)
    await yard.settle(claim, FAILED)
    yard.clock.advance(5)
    await store.promote(10)
    [claim] = await yard.claim(worker)

    await yard.settle(claim, Done("1"))

    job = await yard.job(job_id)
    assert (job.state, job.attempts, job.failures, job.error) == (State.COMPLETED, 2, 1, None)
    assert len(await store.attempts(job_id)) == 1


async def test_a_snooze_charges_nothing(yard: Yard) -> None:
    _, claim = await yard.running()

    await yard.settle(claim, Snoozed(30.0))

    job = await yard.job(claim.id)
    assert (job.state, job.attempts, job.failures) == (State.SCHEDULED, 0, 0)
    assert job.run_at == now(yard) + timedelta(seconds=30)


async def test_a_job_handed_back_waits_again_and_its_fence_grows(yard: Yard) -> None:
    _, claim = await yard.running()
    yard.clock.advance(4)

    await yard.settle(claim, HandedBack())

    job = await yard.job(claim.id)
    assert (job.state, job.lane, job.fence) == (State.PENDING, Lane.OPEN, 2)
    assert (job.attempts, job.failures, job.worker) == (0, 0, None)
    assert job.run_at == now(yard)


@pytest.mark.parametrize("ending", [HandedBack(), Crashed(alone=False, suspect=False)])
async def test_a_job_that_is_given_back_keeps_its_place(yard: Yard, ending: Ending) -> None:
    worker = await yard.worker()
    await yard.enqueue()
    [claim] = await yard.claim(worker)
    yard.clock.advance(1)
    [waiting] = await yard.enqueue()
    yard.clock.advance(1)

    await yard.settle(claim, ending)

    assert [one.id for one in await yard.claim(worker)] == [claim.id, waiting]


async def test_a_job_that_wants_to_be_run_again_stands_behind_those_that_waited(
    yard: Yard,
) -> None:
    worker = await yard.worker()
    await yard.enqueue()
    [claim] = await yard.claim(worker)
    yard.clock.advance(1)
    [waiting] = await yard.enqueue()
    yard.clock.advance(1)

    await yard.settle(claim, Snoozed(0.0))

    assert [one.id for one in await yard.claim(worker)] == [waiting, claim.id]


async def test_a_crash_in_company_makes_a_suspect(yard: Yard) -> None:
    _, claim = await yard.running()

    await yard.settle(claim, Crashed(alone=False))

    job = await yard.job(claim.id)
    assert (job.state, job.lane, job.fence) == (State.PENDING, Lane.ALONE, 2)
    assert (job.attempts, job.failures, job.crashes) == (0, 0, 0)


async def test_a_crash_alone_is_charged_and_the_last_one_is_final(
    yard: Yard, store: SqlStore
) -> None:
    _, claim = await yard.running(max_crashes=1)

    await yard.settle(claim, Crashed(alone=True))

    job = await yard.job(claim.id)
    assert (job.state, job.reason, job.crashes, job.fence) == (State.FAILED, "crash", 1, 2)
    assert len(await store.attempts(claim.id)) == 1


async def test_a_cancelled_attempt_is_final(yard: Yard) -> None:
    _, claim = await yard.running()

    await yard.settle(claim, Cancelled())

    job = await yard.job(claim.id)
    assert (job.state, job.reason, job.attempts) == (State.CANCELLED, "cancelled", 0)


async def test_a_batch_may_end_in_every_way_at_once(yard: Yard, store: SqlStore) -> None:
    worker = await yard.worker()
    await yard.enqueue(6, max_crashes=3)
    claims = await yard.claim(worker)
    endings: list[Ending] = [
        Done("1"),
        FAILED,
        Failed("never", final=True),
        Snoozed(5),
        HandedBack(),
        Cancelled(),
    ]

    refused = await store.settle(
        [yard.end(claim, ending) for claim, ending in zip(claims, endings, strict=True)]
    )

    assert refused == []
    assert [await yard.state(claim.id) for claim in claims] == [
        State.COMPLETED,
        State.SCHEDULED,
        State.FAILED,
        State.SCHEDULED,
        State.PENDING,
        State.CANCELLED,
    ]


@pytest.mark.parametrize("count", [1, 3, 512, 1_300])
async def test_a_batch_of_any_size_is_settled_whole(yard: Yard, count: int) -> None:
    worker = await yard.worker()
    await yard.enqueue(count)
    claims = await yard.claim(worker, count)

    refused = await yard.store.settle([yard.end(claim, Done()) for claim in claims])

    assert refused == []
    assert await yard.counted() == {State.COMPLETED: count}


async def test_each_of_a_batch_has_its_own_result_and_its_own_times(yard: Yard) -> None:
    worker = await yard.worker()
    await yard.enqueue(30)
    claims = await yard.claim(worker, 30)
    yard.clock.advance(60)
    results = [str(number) if number % 3 else None for number in range(30)]
    batch = [
        yard.end(claim, Done(result), ran=float(ran))
        for ran, (claim, result) in enumerate(zip(claims, results, strict=True))
    ]

    refused = await yard.store.settle(sorted(batch, key=lambda one: (one.result or "", one.id)))

    jobs = [await yard.job(claim.id) for claim in claims]
    assert refused == []
    assert [job.result for job in jobs] == results
    assert [job.execution_time for job in jobs] == [timedelta(seconds=n) for n in range(30)]


ENDINGS: list[Ending] = [Done("1"), FAILED, HandedBack(), Snoozed(1), Cancelled()]


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: type(ending).__name__)
async def test_sending_a_settlement_again_is_no_refusal_and_changes_nothing(
    yard: Yard, store: SqlStore, ending: Ending
) -> None:
    _, claim = await yard.running()
    settlement = yard.end(claim, ending)
    await store.settle([settlement])
    before = await yard.job(claim.id)
    attempts = await store.attempts(claim.id)
    counted = await yard.counted()

    refused = await store.settle([settlement])

    assert refused == []
    assert await yard.job(claim.id) == before
    assert await store.attempts(claim.id) == attempts
    assert await yard.counted() == counted


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: type(ending).__name__)
async def test_a_worker_whose_job_was_taken_away_is_refused(
    yard: Yard, store: SqlStore, ending: Ending
) -> None:
    stale_worker, stale = await yard.running()
    await store.dismiss([stale_worker.id])
    await yard.reclaim()
    worker = await yard.worker()
    [fresh] = await yard.claim(worker, lane=Lane.ALONE)
    attempts = await store.attempts(stale.id)

    settlement = yard.end(stale, ending)
    refused = await store.settle([settlement])

    job = await yard.job(stale.id)
    assert refused == [settlement]
    assert await store.attempts(stale.id) == attempts
    assert fresh.fence == stale.fence + 2
    assert (job.state, job.worker, job.fence) == (State.RUNNING, worker.id, fresh.fence)
    assert await yard.settle(fresh, Done()) == []


async def test_an_old_end_beside_the_new_one_leaves_no_trace(yard: Yard, store: SqlStore) -> None:
    worker, old = await yard.running()
    await yard.settle(old, HandedBack())
    [fresh] = await yard.claim(worker)
    late = yard.end(old, Failed("late", final=True))

    refused = await store.settle([late, yard.end(fresh, Failed("no", final=True))])

    assert refused == [late]
    assert [one.error for one in await store.attempts(old.id)] == ["no"]


@pytest.mark.parametrize("newest_first", [True, False])
async def test_of_two_claims_that_worked_the_good_one_ends_the_job(
    yard: Yard, store: SqlStore, *, newest_first: bool
) -> None:
    worker, old = await yard.running()
    await yard.settle(old, HandedBack())
    [fresh] = await yard.claim(worker)
    await yard.enqueue(2)
    others = [yard.end(claim, Done("2")) for claim in await yard.claim(worker)]
    late, good = yard.end(old, Done("0")), yard.end(fresh, Done("1"))

    refused = await store.settle([*([good, late] if newest_first else [late, good]), *others])

    assert refused == [late]
    assert (await yard.job(old.id)).result == "1"
    assert await yard.counted() == {State.COMPLETED: 3}


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: type(ending).__name__)
async def test_an_old_claim_of_the_same_worker_is_refused(
    yard: Yard, store: SqlStore, ending: Ending
) -> None:
    worker, old = await yard.running()
    await yard.settle(old, HandedBack())
    [fresh] = await yard.claim(worker)
    attempts = await store.attempts(old.id)
    settlement = yard.end(old, ending)._replace(reason="failed")

    refused = await store.settle([settlement])

    assert refused == [settlement]
    assert await store.attempts(old.id) == attempts
    assert await store.held(worker.id) == [fresh]


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: type(ending).__name__)
async def test_a_stale_settlement_does_not_spoil_its_batch(
    yard: Yard, store: SqlStore, ending: Ending
) -> None:
    worker = await yard.worker()
    await yard.enqueue(3)
    claims = await yard.claim(worker)
    batch = [yard.end(claim, ending) for claim in claims]
    stale = batch[1]._replace(fence=9, fence_after=9)

    refused = await store.settle([batch[0], stale, batch[2]])

    assert refused == [stale]
    assert await yard.state(claims[1].id) is State.RUNNING
    assert State.RUNNING not in {
        await yard.state(claims[0].id),
        await yard.state(claims[2].id),
    }


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: type(ending).__name__)
async def test_another_workers_settlement_is_refused(
    yard: Yard, store: SqlStore, ending: Ending
) -> None:
    _, claim = await yard.running()
    stranger = WorkerId(yard.chance.token())
    settlement = yard.end(claim._replace(worker=stranger), ending)

    refused = await store.settle([settlement])

    assert refused == [settlement]
    assert await yard.state(claim.id) is State.RUNNING


async def test_a_settlement_after_the_lease_ran_out_is_good_while_nobody_reclaimed(
    yard: Yard,
) -> None:
    _, claim = await yard.running()
    yard.clock.advance(3_600)

    refused = await yard.settle(claim, Done("1"))

    assert refused == []
    assert await yard.state(claim.id) is State.COMPLETED


async def test_a_settlement_of_a_job_that_was_deleted_is_refused(
    yard: Yard, store: SqlStore
) -> None:
    job_id = await yard.finished()
    _, claim = await yard.running()
    settlement = yard.end(claim._replace(id=job_id), Done())
    await store.delete([job_id])

    assert await store.settle([settlement]) == [settlement]


async def test_a_finished_job_that_was_retried_refuses_its_old_worker(
    yard: Yard, store: SqlStore
) -> None:
    worker, claim = await yard.running(max_attempts=1)
    await yard.settle(claim, FAILED)
    await store.retry([claim.id])
    late = yard.end(claim, Done('"late"'))

    refused = await store.settle([late])

    assert refused == [late]
    assert await yard.state(claim.id) is State.PENDING
    assert [one.fence for one in await yard.claim(worker)] == [claim.fence + 2]


@pytest.mark.parametrize("ending", [FAILED, HandedBack(), Snoozed(1)])
async def test_a_job_that_was_asked_to_cancel_is_cancelled_instead_of_going_on(
    yard: Yard, store: SqlStore, ending: Ending
) -> None:
    _, claim = await yard.running()
    await store.cancel([claim.id])

    refused = await yard.settle(claim, ending)

    job = await yard.job(claim.id)
    assert refused == []
    assert (job.state, job.reason) == (State.CANCELLED, "cancelled")


async def test_a_job_that_finished_before_it_was_stopped_has_completed(
    yard: Yard, store: SqlStore
) -> None:
    _, claim = await yard.running()
    await store.cancel([claim.id])

    refused = await yard.settle(claim, Done("1"))

    job = await yard.job(claim.id)
    assert refused == []
    assert (job.state, job.cancel_requested) == (State.COMPLETED, False)


async def test_settlements_of_several_workers_may_come_together(
    yard: Yard, store: SqlStore
) -> None:
    one, two = await yard.worker(), await yard.worker()
    await yard.enqueue(4)
    claims = [*await yard.claim(one, 2), *await yard.claim(two, 2)]

    refused = await store.settle([yard.end(claim, Done()) for claim in claims])

    assert refused == []
    assert await yard.counted() == {State.COMPLETED: 4}


async def test_nothing_is_settled_by_an_empty_list(store: SqlStore) -> None:
    assert await store.settle([]) == []


async def test_an_attempt_that_never_started_has_no_start(yard: Yard) -> None:
    _, claim = await yard.running()

    await yard.store.settle([settle(claim, Cancelled(), backoff=BACKOFF, chance=0.0)])

    job = await yard.job(claim.id)
    assert job.started_at is None
    assert job.finished_at == now(yard)


async def test_the_store_answers_how_many_it_put_back(yard: Yard, store: SqlStore) -> None:
    worker = await yard.worker()
    await yard.enqueue(3)
    claims = await yard.claim(worker)
    good = [yard.end(claim, HandedBack()) for claim in claims]
    stale = good[0]._replace(fence=7)

    answer = await store.database.write(returned(worker.id, [stale, *good[1:]], 0.0))

    assert answer[0][0] == 2


def now(yard: Yard) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=yard.clock.now_us())
