"""Enqueue: all or none, once per id, once per key."""

from datetime import UTC, datetime, timedelta
from typing import TypeVar

import pytest

from tests.store.yard import FAILED, Yard
from windlass.core.backoff import Backoff
from windlass.core.errors import AlreadyKept, KeyTaken, StoreAway
from windlass.core.job import Lane, Policy, State
from windlass.core.outcome import Done
from windlass.store.base import Database
from windlass.store.enqueue import enqueue_script, insert
from windlass.store.records import Enqueued
from windlass.store.script import Rows, Script, Statement
from windlass.store.sql_store import SqlStore

T = TypeVar("T")


async def test_a_job_is_kept_as_it_was_asked_for(yard: Yard, store: SqlStore) -> None:
    policy = Policy(timeout=1.5, backoff=Backoff(base=1.0))
    new = yard.new(
        type="resize",
        payload='{"text":"ä\\u0000\\"\\n","n":[1,2.5,null]}',
        queue="images",
        name="the big one",
        priority=7,
        threads=3,
        max_attempts=9,
        max_crashes=8,
        policy=policy,
    )

    answer = await store.enqueue([new])

    job = await yard.job(new.id)
    assert answer == [Enqueued(new.id, State.PENDING)]
    assert (job.type, job.payload, job.queue, job.name) == (
        "resize",
        new.payload,
        "images",
        "the big one",
    )
    assert (job.priority, job.threads, job.max_attempts, job.max_crashes) == (7, 3, 9, 8)
    assert (job.state, job.lane, job.policy, job.fence) == (State.PENDING, Lane.THREADS, policy, 0)
    assert job.created_at == job.run_at == moment(yard)


async def test_nothing_is_enqueued_by_an_empty_list(store: SqlStore, yard: Yard) -> None:
    assert await store.enqueue([]) == []
    assert await yard.counted() == {}


async def test_more_jobs_than_fit_one_statement_are_all_kept(yard: Yard) -> None:
    ids = await yard.enqueue(5_300)

    assert await yard.counted() == {State.PENDING: 5_300}
    assert len(set(ids)) == 5_300


@pytest.mark.parametrize("count", [1, 2, 3, 255, 256, 257, 511, 512, 513])
async def test_a_batch_of_any_size_is_kept_whole(yard: Yard, count: int) -> None:
    await yard.enqueue(count)

    assert await yard.counted() == {State.PENDING: count}


async def test_a_job_for_later_waits(yard: Yard, store: SqlStore) -> None:
    later = yard.new(delay=timedelta(seconds=90))

    answer = await store.enqueue([later])

    job = await yard.job(later.id)
    assert answer == [Enqueued(later.id, State.SCHEDULED)]
    assert (job.state, job.run_at) == (State.SCHEDULED, moment(yard) + timedelta(seconds=90))


async def test_a_job_for_a_given_moment_waits_until_then(yard: Yard, store: SqlStore) -> None:
    then = moment(yard) + timedelta(days=2, microseconds=1)
    later = yard.new(run_at=then)

    answer = await store.enqueue([later])

    assert answer == [Enqueued(later.id, State.SCHEDULED)]
    assert (await yard.job(later.id)).run_at == then


@pytest.mark.parametrize("delay", [timedelta(0), timedelta(days=-1)])
async def test_a_job_for_now_or_before_stands_in_line_at_once(
    yard: Yard, store: SqlStore, delay: timedelta
) -> None:
    due = yard.new(run_at=moment(yard) + delay)

    answer = await store.enqueue([due])

    assert answer == [Enqueued(due.id, State.PENDING)]
    assert await yard.state(due.id) is State.PENDING


async def test_a_job_for_long_ago_does_not_stand_before_those_that_waited(
    yard: Yard, store: SqlStore
) -> None:
    worker = await yard.worker()
    [first] = await yard.enqueue()
    yard.clock.advance(1)
    late = yard.new(run_at=moment(yard) - timedelta(days=1))
    await store.enqueue([late])

    claims = await yard.claim(worker)

    assert [claim.id for claim in claims] == [first, late.id]


async def test_a_mixed_batch_answers_in_its_order(yard: Yard, store: SqlStore) -> None:
    jobs = [
        yard.new(),
        yard.new(delay=timedelta(seconds=5)),
        yard.new(key="a"),
        yard.new(key="b", delay=timedelta(seconds=5)),
    ]

    answer = await store.enqueue(jobs)

    states = [State.PENDING, State.SCHEDULED, State.PENDING, State.SCHEDULED]
    assert answer == [Enqueued(job.id, state) for job, state in zip(jobs, states, strict=True)]


async def test_sending_the_same_ids_again_changes_nothing(yard: Yard, store: SqlStore) -> None:
    jobs = [yard.new(), yard.new(delay=timedelta(seconds=9)), yard.new(key="k")]
    first = await store.enqueue(jobs)
    yard.clock.advance(5)
    before = [await yard.job(job.id) for job in jobs]

    second = await store.enqueue(jobs)

    assert second == first
    assert [await yard.job(job.id) for job in jobs] == before
    assert await yard.counted() == {State.PENDING: 2, State.SCHEDULED: 1}


@pytest.mark.parametrize("other_queue", ["default", "other"])
async def test_a_first_sending_of_an_id_that_is_there_says_so(
    yard: Yard, store: SqlStore, other_queue: str
) -> None:
    job = yard.new()
    await store.enqueue([job])

    with pytest.raises(AlreadyKept):
        await store.database.write(insert([job, yard.new(queue=other_queue)]))

    assert await yard.counted() == {State.PENDING: 1}


class Silent:
    """A database that does what it is asked and whose answers get lost, for a while."""

    def __init__(self, database: Database, answers_lost: int) -> None:
        self._database = database
        self._lost = answers_lost
        self.read = database.read
        self.survey = database.survey
        self.close = database.close

    async def write(self, statement: Statement) -> Rows:
        """Run it, and perhaps say nothing."""
        return self._answer(await self._database.write(statement))

    async def run(self, script: Script[T]) -> T:
        """Run it, and perhaps say nothing."""
        return self._answer(await self._database.run(script))

    def _answer(self, answer: T) -> T:
        self._lost -= 1
        if self._lost >= 0:
            raise StoreAway("the line broke", ambiguous=True)
        return answer


async def test_who_never_had_an_answer_may_try_again_though_the_job_has_finished(
    yard: Yard, store: SqlStore
) -> None:
    worker = await yard.worker()
    unanswered = SqlStore(Silent(store.database, answers_lost=4), yard.clock)
    job = yard.new()
    with pytest.raises(StoreAway):
        await unanswered.enqueue([job])
    [claim] = await yard.claim(worker)
    await store.settle([yard.end(claim, Done("1"))])

    [again] = await unanswered.enqueue([job])

    assert again.id == job.id
    assert await yard.counted() == {State.COMPLETED: 1}


async def test_what_is_sent_again_after_it_was_deleted_has_none_of_its_former_fences(
    yard: Yard, store: SqlStore
) -> None:
    worker = await yard.worker()
    job = yard.new()
    await store.enqueue([job])
    [former] = await yard.claim(worker)
    await store.settle([yard.end(former, Done("1"))])
    await store.delete([job.id])

    await store.database.run(enqueue_script([job], again=True))
    [claim] = await yard.claim(worker)
    late = yard.end(former, Done("1"))

    assert claim.id == job.id
    assert await store.settle([late]) == [late]
    assert await yard.state(job.id) is State.RUNNING


async def test_sending_again_what_has_finished_changes_nothing(yard: Yard, store: SqlStore) -> None:
    worker = await yard.worker()
    done, other = yard.new(), yard.new()
    await store.enqueue([done, other])
    claims = await yard.claim(worker)
    await store.settle([yard.end(claim, Done("1")) for claim in claims if claim.id == done.id])

    await store.database.run(enqueue_script([done, other], again=True))

    assert await yard.state(done.id) is State.COMPLETED
    assert await yard.state(other.id) is State.RUNNING
    assert await yard.counted() == {State.COMPLETED: 1, State.RUNNING: 1}


async def test_what_is_sent_with_something_that_has_finished_is_kept(
    yard: Yard, store: SqlStore
) -> None:
    done = await yard.finished()
    fresh, keyed = yard.new(), yard.new(key="k")

    answers = await store.database.run(
        enqueue_script([yard.new()._replace(id=done), fresh, keyed], again=True)
    )

    assert [answer.id for answer in answers] == [done, fresh.id, keyed.id]
    assert await yard.counted() == {State.COMPLETED: 1, State.PENDING: 2}
    assert await yard.state(done) is State.COMPLETED


async def test_an_equal_key_answers_with_the_first_job(yard: Yard, store: SqlStore) -> None:
    first = yard.new(key="order-1", payload='{"a":1,"b":2}')
    [kept] = await store.enqueue([first])
    same = yard.new(key="order-1", payload='{"b":2,"a":1}')

    [answer] = await store.enqueue([same])

    assert kept == Enqueued(first.id, State.PENDING)
    assert answer == Enqueued(first.id, State.PENDING, existing=True)
    assert await store.job(same.id) is None


async def test_an_equal_key_answers_with_what_became_of_the_job(
    yard: Yard, store: SqlStore
) -> None:
    job_id = await yard.finished(key="k")

    [answer] = await store.enqueue([yard.new(key="k")])

    assert answer == Enqueued(job_id, State.COMPLETED, existing=True)


async def test_equal_keys_in_one_batch_make_one_job(yard: Yard, store: SqlStore) -> None:
    twins = [yard.new(key="k"), yard.new(key="k")]

    answer = await store.enqueue(twins)

    assert answer == [
        Enqueued(twins[0].id, State.PENDING),
        Enqueued(twins[0].id, State.PENDING, existing=True),
    ]
    assert await yard.counted() == {State.PENDING: 1}


async def test_equal_keys_in_one_batch_tell_when_their_job_is_for_later(
    yard: Yard, store: SqlStore
) -> None:
    later = timedelta(seconds=5)
    twins = [yard.new(key="k", delay=later), yard.new(key="k", delay=later)]

    answer = await store.enqueue(twins)

    assert answer == [
        Enqueued(twins[0].id, State.SCHEDULED),
        Enqueued(twins[0].id, State.SCHEDULED, existing=True),
    ]


@pytest.mark.parametrize("other", [{"type": "sms"}, {"queue": "slow"}, {"payload": '{"x":1}'}])
async def test_a_key_of_another_request_is_refused_and_nothing_is_kept(
    yard: Yard, store: SqlStore, other: dict[str, str]
) -> None:
    first = yard.new(key="k")
    await store.enqueue([first])
    innocent = yard.new()

    with pytest.raises(KeyTaken) as taken:
        await store.enqueue([innocent, yard.new(key="k", **other)])

    assert taken.value.id == first.id
    assert await store.job(innocent.id) is None


async def test_a_key_is_free_after_its_window_once_its_job_has_finished(
    yard: Yard, store: SqlStore
) -> None:
    await yard.finished(key="k", key_window=timedelta(minutes=10))
    yard.clock.advance(601)
    fresh = yard.new(key="k", payload='{"other":true}')

    [answer] = await store.enqueue([fresh])

    assert answer == Enqueued(fresh.id, State.PENDING)


async def test_a_key_holds_beyond_its_window_while_its_job_lives(
    yard: Yard, store: SqlStore
) -> None:
    first = yard.new(key="k", key_window=timedelta(minutes=10), delay=timedelta(days=1))
    await store.enqueue([first])
    yard.clock.advance(3_600)

    [answer] = await store.enqueue([yard.new(key="k")])

    assert answer == Enqueued(first.id, State.SCHEDULED, existing=True)


async def test_a_key_holds_until_its_window_ends_after_its_job_failed(
    yard: Yard, store: SqlStore
) -> None:
    job_id = await yard.finished(FAILED, key="k", key_window=timedelta(minutes=10))
    yard.clock.advance(599)

    [answer] = await store.enqueue([yard.new(key="k")])

    assert answer == Enqueued(job_id, State.FAILED, existing=True)


def moment(yard: Yard) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=yard.clock.now_us())
