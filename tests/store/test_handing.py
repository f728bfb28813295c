"""A job that comes alone is handed to a worker that stands by: one commit keeps and claims it."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.store.yard import Worker, Yard
from windlass.core.herald import Herald
from windlass.core.job import JobId, NewJob, Policy, State
from windlass.core.outcome import Done
from windlass.store import handing
from windlass.store.sql_store import SqlStore


async def come(yard: Yard, **given: Any) -> tuple[JobId, Herald]:
    """A job that comes alone, with a herald."""
    job, herald = yard.new(**given), Herald()
    await yard.store.enqueue([job], herald)
    return job.id, herald


async def test_who_stands_by_has_the_job_as_soon_as_it_is_kept(yard: Yard, store: SqlStore) -> None:
    worker, other = await yard.worker(), await yard.worker()
    await store.stand_by(worker.id, 1)

    job_id, _ = await come(yard, payload='{"to":"ada"}', priority=3, policy=Policy(timeout=2))

    job = await yard.job(job_id)
    assert (job.state, job.fence, job.worker) == (State.RUNNING, 1, worker.id)
    assert (job.attempts, job.created_at) == (0, job.started_at)
    assert await yard.claim(other) == []
    assert [claim.id for claim in await store.held(worker.id)] == [job_id]


async def test_the_job_can_be_settled_like_any_other(yard: Yard, store: SqlStore) -> None:
    worker = await yard.worker()
    await store.stand_by(worker.id, 1)
    job_id, _ = await come(yard)

    [claim] = await store.held(worker.id)
    refused = await yard.settle(claim, Done())

    assert refused == []
    assert await yard.state(job_id) is State.COMPLETED


async def test_what_is_told_of_a_job_is_what_the_store_believes(
    yard: Yard, store: SqlStore
) -> None:
    worker = await yard.worker()
    await store.stand_by(worker.id, 7)
    job = yard.new(payload='{"text":"\\"ä\\u0000\\n"}', priority=-3, policy=Policy(timeout=2))
    await store.enqueue([job], Herald())
    [held] = await store.held(worker.id)

    told = handing.told(job, held.policy)
    assert told is not None
    read = handing.read(handing.news(worker.id, 7, held.rank, told), worker.id)

    assert read == handing.Handed(7, held)


async def test_news_are_read_by_the_one_that_they_are_for(yard: Yard) -> None:
    worker, other = await yard.worker(), await yard.worker()
    told = handing.told(yard.new(), None)
    assert told is not None

    assert handing.read(handing.news(worker.id, 1, 5, told), other.id) is None


async def test_one_job_is_handed_over_and_the_next_waits(yard: Yard, store: SqlStore) -> None:
    worker = await yard.worker()
    await store.stand_by(worker.id, 1)

    first, _ = await come(yard)
    second, _ = await come(yard)

    assert await yard.state(first) is State.RUNNING
    assert await yard.state(second) is State.PENDING
    assert not await store.stands_by(worker.id)


async def test_those_who_stand_by_take_turns(yard: Yard, store: SqlStore) -> None:
    workers = [(await yard.worker()).id for _ in range(3)]
    handed = []

    for number in range(1, 4):
        for worker in workers:
            await store.stand_by(worker, number)
            yard.clock.advance(0.001)
        for _ in workers:
            job, _ = await come(yard)
            handed.append((await yard.job(job)).worker)

    assert handed == workers * 3


async def test_who_was_handed_a_job_stands_behind_the_others(yard: Yard, store: SqlStore) -> None:
    first, second = (await yard.worker()).id, (await yard.worker()).id
    handed = []
    await store.stand_by(first, 1)
    yard.clock.advance(0.001)
    await store.stand_by(second, 1)

    for number in range(2, 8):
        job, _ = await come(yard)
        taker = (await yard.job(job)).worker
        assert taker is not None
        handed.append(taker)
        yard.clock.advance(0.001)
        await store.stand_by(taker, number)

    assert handed == [first, second] * 3


async def test_without_a_herald_nobody_is_handed_anything(yard: Yard, store: SqlStore) -> None:
    worker = await yard.worker()
    await store.stand_by(worker.id, 1)

    [job_id] = await yard.enqueue()

    assert await yard.state(job_id) is State.PENDING
    assert await store.stands_by(worker.id)


@pytest.mark.parametrize(
    "given",
    [
        {"type": "video"},
        {"queue": "slow"},
        {"threads": 1},
        {"payload": f'"{"x" * 8_000}"'},
        {"delay": timedelta(hours=1)},
        {"key": "once"},
    ],
    ids=lambda given: next(iter(given)),
)
async def test_a_job_that_the_worker_may_not_take_or_be_told_of_waits(
    yard: Yard, store: SqlStore, given: dict[str, Any]
) -> None:
    worker = await yard.worker(queues=["default"])
    await store.stand_by(worker.id, 1)

    job_id, herald = await come(yard, **given)

    assert await yard.state(job_id) in {State.PENDING, State.SCHEDULED}
    assert (herald.sent, herald.news) == (False, None)
    assert await store.stands_by(worker.id)


async def ends(yard: Yard, worker: Worker) -> None:
    await yard.store.dismiss([worker.id])


async def drains(yard: Yard, worker: Worker) -> None:
    assert await yard.store.drain(worker.id, by="ada")


async def lapses(yard: Yard, worker: Worker) -> None:
    del worker
    yard.clock.advance(16)


async def leaves(yard: Yard, worker: Worker) -> None:
    await yard.store.leave(worker.node)


async def is_paused(yard: Yard, worker: Worker) -> None:
    del worker
    await yard.store.pause("default", by="ada")


@pytest.mark.parametrize("happens", [ends, drains, lapses, leaves, is_paused])
async def test_nothing_is_handed_to_who_may_claim_nothing(
    yard: Yard, store: SqlStore, happens: Callable[[Yard, Worker], Awaitable[None]]
) -> None:
    worker = await yard.worker()
    await store.stand_by(worker.id, 1)
    await happens(yard, worker)

    job_id, _ = await come(yard)

    assert await yard.state(job_id) is State.PENDING


async def test_who_stands_down_hears_whether_it_stood_by_until_then(
    yard: Yard, store: SqlStore
) -> None:
    worker = await yard.worker()
    await store.stand_by(worker.id, 1)

    assert await store.stand_down(worker.id)
    assert not await store.stand_down(worker.id)
    await store.stand_by(worker.id, 2)
    await come(yard)
    assert not await store.stand_down(worker.id)


async def test_an_earlier_number_that_comes_late_changes_nothing(
    yard: Yard, store: SqlStore
) -> None:
    worker = await yard.worker()
    await store.stand_by(worker.id, 2)
    await store.stand_by(worker.id, 1)

    numbers = await store._read("stands_by", worker=worker.id)

    assert [row[0] for row in numbers] == [2]


async def test_those_who_are_gone_are_forgotten(yard: Yard, store: SqlStore) -> None:
    gone, here = await yard.worker(), await yard.worker()
    await store.stand_by(gone.id, 1)
    await store.stand_by(here.id, 1)
    await store.leave(gone.node)

    await store.prune(timedelta(days=1), 100)

    assert not await store.stands_by(gone.id)
    assert await store.stands_by(here.id)


async def test_a_job_that_was_handed_over_is_kept_once_though_it_is_sent_again(
    yard: Yard, store: SqlStore
) -> None:
    worker = await yard.worker()
    await store.stand_by(worker.id, 1)
    job: NewJob = yard.new()
    await store.enqueue([job], Herald())
    store.doubt([job])

    await store.enqueue([job])

    kept = await yard.job(job.id)
    assert (kept.state, kept.fence, kept.worker) == (State.RUNNING, 1, worker.id)
