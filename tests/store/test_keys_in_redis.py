"""Idempotency keys with Redis before the database: it answers, and decides nothing."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

import pytest
import redis as client

from tests.store.shelves import KEYSPACE, Shelved
from tests.store.yard import OwnClock, Yard
from tests.waiting import until
from windlass.core.errors import KeyTaken
from windlass.core.job import JobId, State
from windlass.core.outcome import Done
from windlass.store.records import Enqueued
from windlass.store.shelf import LIFE


@pytest.fixture
def here(opened: Callable[[], Shelved]) -> Shelved:
    return opened()


@pytest.fixture
def there(opened: Callable[[], Shelved]) -> Shelved:
    return opened()


@pytest.fixture
def yard(here: Shelved, clock: OwnClock) -> Yard:
    return Yard(here, clock)


async def send(yard: Yard, store: Shelved, key: str = "k", **given: object) -> Enqueued:
    """A request with this key, as it comes from anywhere."""
    [answer] = await store.enqueue([yard.new(key=key, **given)])
    return answer


async def jobs_in(store: Shelved) -> int:
    """How many jobs there really are."""
    counts = await store.counts()
    return sum(counts.states.values())


# --- what it is for -------------------------------------------------------------------------------


async def test_a_duplicate_costs_no_statement(yard: Yard, here: Shelved, there: Shelved) -> None:
    first = await send(yard, here)
    here.statements.clear()

    again = [await send(yard, there), await send(yard, here)]

    assert first == Enqueued(first.id, State.PENDING)
    assert again == [Enqueued(first.id, State.PENDING, existing=True)] * 2
    assert here.statements == there.statements == []


async def test_many_duplicates_in_one_request_cost_none_either(
    yard: Yard, here: Shelved, there: Shelved
) -> None:
    new = [yard.new(key=f"k{number}") for number in range(100)]
    first = await here.enqueue(new)

    again = await there.enqueue([job._replace(id=yard.id()) for job in new])

    assert [one.id for one in again] == [one.id for one in first]
    assert all(one.existing for one in again)
    assert there.statements == []


async def test_a_duplicate_is_told_the_present_state(
    yard: Yard, here: Shelved, there: Shelved
) -> None:
    async def runs() -> bool:
        return (await send(yard, there)).state is State.RUNNING

    worker = await yard.worker()
    first = await send(yard, here)
    states = [(await send(yard, there)).state]

    [claim] = await yard.claim(worker)
    await until(runs)  # a start is told to Redis without waiting for its answer
    await yard.settle(claim, Done())
    states += [(await send(yard, there)).state, (await send(yard, here)).state]

    assert states == [State.PENDING, State.COMPLETED, State.COMPLETED]
    assert await jobs_in(here) == 1
    assert first.id == claim.id


async def test_long_after_a_duplicate_costs_one_read_and_no_transaction(
    yard: Yard, here: Shelved, there: Shelved, redis: client.Redis
) -> None:
    first = await send(yard, here)
    await until(lambda: not redis.exists(f"{KEYSPACE}job:{first.id}"))

    again = await send(yard, there)

    assert (again.id, again.existing) == (first.id, True)
    assert there.statements == ["find"]


# --- the database decides -------------------------------------------------------------------------


async def test_another_request_with_the_same_key_is_refused(
    yard: Yard, here: Shelved, there: Shelved
) -> None:
    await send(yard, here)

    with pytest.raises(KeyTaken):
        await send(yard, there, payload='{"other": 1}')


async def test_a_key_is_free_when_its_window_is_over(
    yard: Yard, here: Shelved, there: Shelved, redis: client.Redis, clock: OwnClock
) -> None:
    worker = await yard.worker()
    first = await send(yard, here, key_window=timedelta(milliseconds=200))
    [claim] = await yard.claim(worker)
    await yard.settle(claim, Done())

    # By the clocks of both: the test owns one, and Redis has its own.
    clock.advance(0.2)
    await until(lambda: not redis.exists(f"{KEYSPACE}key:k"))
    second = await send(yard, there)

    assert not second.existing
    assert second.id != first.id


async def test_a_key_is_free_when_its_job_was_deleted(
    yard: Yard, here: Shelved, there: Shelved
) -> None:
    first = await send(yard, here)
    await send(yard, there)
    await there.cancel([first.id])
    await there.delete([first.id])

    second, third = await send(yard, here), await send(yard, there)

    assert not second.existing
    assert third == Enqueued(second.id, State.PENDING, existing=True)


async def test_a_key_whose_job_is_gone_is_for_the_database(
    yard: Yard, here: Shelved, there: Shelved, redis: client.Redis
) -> None:
    """As after a restore: Redis knows of a job that the database does not."""
    first = await send(yard, here)
    kept = redis.get(f"{KEYSPACE}key:k")
    assert isinstance(kept, bytes)
    strange = kept.replace(first.id.encode(), yard.id().encode())
    redis.set(f"{KEYSPACE}key:k", strange, px=60_000)

    again = await send(yard, there)

    assert (again.id, again.existing) == (first.id, True)


@pytest.mark.parametrize("step", ["look at keys", "fill"])
async def test_whoever_dies_on_the_way_leaves_a_key_that_works(
    step: str, yard: Yard, here: Shelved, there: Shelved, redis: client.Redis
) -> None:
    here.line.cut_before = step
    first = await send(yard, here)

    again = await send(yard, there)

    assert (again.id, again.existing) == (first.id, True)
    assert await jobs_in(there) == 1


async def test_a_key_whose_sender_died_before_its_commit_makes_a_job(
    yard: Yard, here: Shelved, there: Shelved
) -> None:
    """The damper holds nobody for longer than a moment, and its holder to nothing."""
    await here.shelf.look_at_keys([("k", yard.id())])

    answer = await asyncio.wait_for(send(yard, there), 5)

    assert not answer.existing
    assert await there.job(answer.id)


async def test_who_comes_while_a_key_is_sent_is_answered_from_redis(
    yard: Yard, here: Shelved, there: Shelved
) -> None:
    go_on = here.line.hold("fill")
    sending = asyncio.create_task(send(yard, here))
    await here.line.held_up()

    second = asyncio.create_task(send(yard, there))
    await asyncio.sleep(0)
    go_on.set()

    first = await sending
    assert (await second).id == first.id
    assert await jobs_in(here) == 1


async def test_one_job_per_key_whatever_happens_to_redis(
    yard: Yard, opened: Callable[[], Shelved], redis: client.Redis
) -> None:
    stores = [opened() for _ in range(5)]
    over = asyncio.Event()

    async def empty() -> None:
        while not over.is_set():
            redis.flushdb()
            await asyncio.sleep(0.002)

    emptying = asyncio.create_task(empty())
    sent = await asyncio.gather(
        *(send(yard, store, f"k{number}") for number in range(60) for store in stores)
    )
    over.set()
    await emptying

    assert len({answer.id for answer in sent}) == 60
    assert await jobs_in(stores[0]) == 60


async def test_a_key_read_back_from_the_database_is_kept_for_a_second_only(
    yard: Yard, here: Shelved, there: Shelved, redis: client.Redis
) -> None:
    await send(yard, here)
    redis.flushdb()

    await send(yard, there)

    assert 0 < redis.pttl(f"{KEYSPACE}key:k") <= LIFE


# --- why not the other order ----------------------------------------------------------------------


async def test_key_first_and_work_later_loses_a_job(
    yard: Yard, here: Shelved, there: Shelved, redis: client.Redis
) -> None:
    """What seed 001 did, with a process that dies between the two; then ours, dying there too."""

    async def key_first(store: Shelved, key: str, *, dies: bool = False) -> JobId | None:
        new = yard.new()
        if not redis.set(f"idempotency:{key}", new.id, nx=True, ex=3600):
            held = redis.get(f"idempotency:{key}")
            assert isinstance(held, bytes)
            return JobId(held.decode())
        if dies:
            return None
        await store.enqueue([new])
        return new.id

    await key_first(here, "k", dies=True)
    promised = await key_first(there, "k")
    assert promised is not None
    assert await there.job(promised) is None, "answered with a job that never was, for an hour"

    await here.shelf.look_at_keys([("k", yard.id())])  # all that ours does before its commit
    answer = await send(yard, there)
    assert await there.job(answer.id), "ours is answered with a job that is there"
