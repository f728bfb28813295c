"""Reading: one job, many jobs, queues, and why a job waits."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.store.yard import FAILED, Yard
from windlass.core.job import Job, JobId, State
from windlass.core.outcome import Cancelled, Done
from windlass.core.search import JobFilter
from windlass.store import counting
from windlass.store.records import QueueRecord
from windlass.store.sql_store import SqlStore

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


async def jobs(store: SqlStore, **which: Any) -> Sequence[Job]:
    return (await store.page(JobFilter(**which))).jobs


async def test_a_job_nobody_knows_is_nothing(store: SqlStore) -> None:
    nobody = JobId("00000000-0000-7000-8000-000000000000")

    assert await store.job(nobody) is None
    assert await store.facts(nobody) is None
    assert await store.attempts(nobody) == []


async def test_jobs_are_listed_newest_first_live_and_finished(yard: Yard, store: SqlStore) -> None:
    ids = [
        await yard.finished(Done()),
        *await yard.enqueue(2, type="other"),
        await yard.finished(FAILED),
        *await yard.enqueue(delay=timedelta(hours=1)),
    ]

    found = await jobs(store)

    assert [job.id for job in found] == sorted(ids, reverse=True)
    assert [job for job in found if job.id == ids[3]] == [await yard.job(ids[3])]


async def test_pages_neither_double_nor_miss_a_job(yard: Yard, store: SqlStore) -> None:
    worker = await yard.worker()
    ids = await yard.enqueue(7)
    claims = await yard.claim(worker, 7)
    await store.settle([yard.end(claim, Done()) for claim in claims[::2]])
    seen: list[JobId] = []

    while page := await jobs(store, limit=3, before=seen[-1] if seen else None):
        seen += [job.id for job in page]

    assert seen == sorted(ids, reverse=True)


@pytest.mark.parametrize(
    "states",
    [
        [State.PENDING],
        [State.RUNNING],
        [State.SCHEDULED],
        [State.COMPLETED],
        [State.FAILED],
        [State.CANCELLED],
        [State.FAILED, State.PENDING],
        [State.COMPLETED, State.CANCELLED, State.RUNNING],
    ],
    ids="-".join,
)
async def test_jobs_are_found_by_their_states(
    yard: Yard, store: SqlStore, states: list[State]
) -> None:
    await some_jobs(yard, store)

    found = await jobs(store, states=frozenset(states))

    everything = await jobs(store)
    assert found == [job for job in everything if job.state in states]
    assert {job.state for job in found} == set(states)


@pytest.mark.parametrize("type_", ["mail", "sms", "nothing"])
@pytest.mark.parametrize("queue", [None, "a", "b"])
@pytest.mark.parametrize("states", [(), (State.COMPLETED, State.PENDING)], ids=["all", "some"])
async def test_jobs_are_found_by_type_queue_and_state_together(
    yard: Yard, store: SqlStore, type_: str, queue: str | None, states: tuple[State, ...]
) -> None:
    await some_jobs(yard, store)

    found = await jobs(store, type=type_, queue=queue, states=frozenset(states))

    assert found == [
        job
        for job in await jobs(store)
        if job.type == type_
        and (queue is None or job.queue == queue)
        and (not states or job.state in states)
    ]


async def test_jobs_are_found_by_queue(yard: Yard, store: SqlStore) -> None:
    await some_jobs(yard, store)

    found = await jobs(store, queue="b", limit=3)

    everything = await jobs(store)
    assert found == [job for job in everything if job.queue == "b"][:3]


async def some_jobs(yard: Yard, store: SqlStore) -> None:
    for type_ in ("mail", "sms"):
        for queue in ("a", "b"):
            await yard.finished(Done(), type=type_, queue=queue)
            await yard.finished(FAILED, type=type_, queue=queue)
            await yard.finished(Cancelled(), type=type_, queue=queue)
            await yard.enqueue(type=type_, queue=queue, delay=timedelta(hours=1))
            await yard.running(type=type_, queue=queue)
    for type_ in ("mail", "sms"):
        for queue in ("a", "b"):
            await yard.enqueue(type=type_, queue=queue)


async def test_queues_are_listed_with_what_waits_in_them(yard: Yard, store: SqlStore) -> None:
    await yard.enqueue(3, queue="b")
    await yard.enqueue(2, queue="b", threads=1)
    await yard.enqueue(queue="a")
    await yard.enqueue(queue="later", delay=timedelta(hours=1))
    await store.pause("a", by="ada")
    await store.pause("empty", by="bob")

    queues = await store.queues()

    assert [(queue.name, queue.depth, queue.paused_by) for queue in queues] == [
        ("a", 1, "ada"),
        ("b", 5, None),
        ("empty", 0, "bob"),
    ]


async def test_a_queue_says_what_runs_and_since_when_its_first_job_is_due(
    yard: Yard, store: SqlStore
) -> None:
    await yard.running(queue="a", type="sms")
    yard.clock.advance(10)
    due = EPOCH + timedelta(microseconds=yard.clock.now_us())
    await yard.enqueue(queue="a")
    yard.clock.advance(10)
    await yard.enqueue(queue="a", priority=-1)
    await yard.enqueue(queue="a", threads=1)
    await yard.running(queue="b", type="sms")

    queues = await store.queues()

    assert queues == [
        QueueRecord(name="a", depth=3, running=1, oldest_at=due),
        QueueRecord(name="b", depth=0, running=1),
    ]


async def test_a_parked_job_still_counts_for_its_queue(yard: Yard, store: SqlStore) -> None:
    await yard.worker("other")
    await yard.enqueue(2, queue="a")
    await store.park(10)

    [queue] = await store.queues()
    assert (queue.name, queue.depth) == ("a", 2)


async def test_the_facts_say_who_could_take_a_job_and_how_many_are_ahead(
    yard: Yard, store: SqlStore
) -> None:
    await yard.worker("mail", queues=["fast"], threads=2)
    await yard.worker("mail", "sms", threads=6)
    await yard.worker("sms", queues=["slow"], threads=3)
    ahead = await yard.enqueue(4)
    yard.clock.advance(0.5)
    [job_id] = await yard.enqueue(queue="slow")
    yard.clock.advance(0.5)
    await yard.enqueue(4)

    facts = await store.facts(job_id)

    assert facts is not None
    assert facts.job == await yard.job(job_id)
    assert (facts.ahead, facts.now_us) == (len(ahead), yard.clock.now_us())
    assert (facts.workers, facts.workers_for_type, facts.workers_for_queue) == (3, 2, 2)
    assert (facts.widest, facts.queue_paused, facts.lease_until) == (6, False, None)


async def test_the_facts_say_where_a_job_stands_in_a_long_line(
    yard: Yard, store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "CHEAP", -1.0)
    monkeypatch.setattr(counting, "MANY", 1)
    await yard.enqueue()
    yard.clock.advance(1)
    [job_id] = await yard.enqueue()
    yard.clock.advance(2)
    await yard.enqueue()
    before = await store.facts(job_id)
    await store.counts()

    facts = await store.facts(job_id)

    assert before is not None
    assert before.line is None
    assert facts is not None
    assert facts.line is not None
    assert facts.line.length == 3
    assert facts.line.rank - facts.line.first == 1_000_000
    assert facts.line.last - facts.line.rank == 2_000_000


async def test_jobs_of_the_same_moment_are_ahead_by_their_ids(yard: Yard, store: SqlStore) -> None:
    ids = await yard.enqueue(5)

    ahead = [facts.ahead for job_id in ids if (facts := await store.facts(job_id))]

    assert ahead == [0, 1, 2, 3, 4]


async def test_the_facts_name_who_paused_the_queue(yard: Yard, store: SqlStore) -> None:
    [job_id] = await yard.enqueue(queue="slow")
    await store.pause("slow", by="ada")

    facts = await store.facts(job_id)

    assert facts is not None
    assert (facts.queue_paused, facts.paused_by) == (True, "ada")


async def test_the_facts_of_a_running_job_say_until_when_its_lease_runs(
    yard: Yard, store: SqlStore
) -> None:
    worker, claim = await yard.running()

    facts = await store.facts(claim.id)

    assert facts is not None
    [until] = [until for node, until, *_ in (await store.fleet()).nodes if node.id == worker.node]
    assert facts.lease_until == until
    assert facts.worker_threads == worker.threads


async def test_the_facts_tell_how_fast_jobs_go(yard: Yard, store: SqlStore) -> None:
    for _ in range(6):
        await yard.finished(Done())
    [job_id] = await yard.enqueue()
    quick = await store.facts(job_id)
    yard.clock.advance(61)
    idle = await store.facts(job_id)

    assert quick is not None
    assert idle is not None
    assert quick.claims_per_second == pytest.approx(0.1)
    assert idle.claims_per_second == 0.0


async def test_the_facts_of_a_finished_job_are_there_too(yard: Yard, store: SqlStore) -> None:
    job_id = await yard.finished(FAILED)

    facts = await store.facts(job_id)

    assert facts is not None
    assert (facts.job.state, facts.ahead) == (State.FAILED, 0)
