"""Jobs that are read from Redis: never old, whoever changes them and whatever fails."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest
import redis as client

from tests.services.redis import RedisServer
from tests.store.shelves import KEYSPACE, Shelved
from tests.store.yard import OwnClock, Yard
from tests.waiting import until
from windlass.core.bulk import Action, Chunk
from windlass.core.job import JobId, State
from windlass.core.outcome import Done, Failed
from windlass.store.base import Database
from windlass.store.shelf import ERA_LIFE, LIFE, MOST_BYTES


@pytest.fixture
def reader(opened: Callable[[], Shelved]) -> Shelved:
    return opened()


@pytest.fixture
def writer(opened: Callable[[], Shelved]) -> Shelved:
    return opened()


@pytest.fixture
def yard(writer: Shelved, clock: OwnClock) -> Yard:
    """Those who change jobs."""
    return Yard(writer, clock)


async def settled(yard: Yard) -> tuple[JobId, Callable[[], Awaitable[object]]]:
    _, claim = await yard.running()
    return claim.id, lambda: yard.settle(claim, Done())


async def put_back(yard: Yard) -> tuple[JobId, Callable[[], Awaitable[object]]]:
    _, claim = await yard.running()
    return claim.id, lambda: yard.settle(claim, Failed("no"))


async def claimed(yard: Yard) -> tuple[JobId, Callable[[], Awaitable[object]]]:
    worker = await yard.worker()
    [job] = await yard.enqueue()
    return job, lambda: yard.claim(worker)


async def cancelled(yard: Yard) -> tuple[JobId, Callable[[], Awaitable[object]]]:
    [job] = await yard.enqueue()
    return job, lambda: yard.store.cancel([job])


async def asked_to_stop(yard: Yard) -> tuple[JobId, Callable[[], Awaitable[object]]]:
    _, claim = await yard.running()
    return claim.id, lambda: yard.store.cancel([claim.id])


async def retried(yard: Yard) -> tuple[JobId, Callable[[], Awaitable[object]]]:
    job = await yard.finished(Failed("no"))
    return job, lambda: yard.store.retry([job])


async def run_now(yard: Yard) -> tuple[JobId, Callable[[], Awaitable[object]]]:
    [job] = await yard.enqueue(delay=timedelta(hours=1))
    return job, lambda: yard.store.run_now([job])


async def deleted(yard: Yard) -> tuple[JobId, Callable[[], Awaitable[object]]]:
    job = await yard.finished()
    return job, lambda: yard.store.delete([job])


async def reclaimed(yard: Yard) -> tuple[JobId, Callable[[], Awaitable[object]]]:
    worker, claim = await yard.running()
    await yard.store.dismiss([worker.id])
    return claim.id, yard.reclaim


async def retried_in_bulk(yard: Yard) -> tuple[JobId, Callable[[], Awaitable[object]]]:
    job = await yard.finished(Failed("no"))
    _, bulk = await yard.running(type="bulk")
    place = await yard.store.place(bulk.id, bulk.fence)
    states = frozenset({State.FAILED})
    chunk = Chunk(
        job=bulk.id,
        fence=bulk.fence,
        action=Action.RETRY,
        states=states,
        ids=[job],
        place=place,
        before=None,
    )
    return job, lambda: yard.store.advance(chunk)


CHANGES = [
    settled,
    put_back,
    claimed,
    cancelled,
    asked_to_stop,
    retried,
    run_now,
    deleted,
    reclaimed,
    retried_in_bulk,
]


@pytest.fixture(params=CHANGES, ids=lambda change: change.__name__)
async def change(
    request: pytest.FixtureRequest, yard: Yard
) -> tuple[JobId, Callable[[], Awaitable[object]]]:
    """A job, and what changes it."""
    made: tuple[JobId, Callable[[], Awaitable[object]]] = await request.param(yard)
    return made


# --- what it is for -------------------------------------------------------------------------------


async def test_a_job_that_is_asked_for_again_costs_no_statement(
    yard: Yard, reader: Shelved, writer: Shelved
) -> None:
    job = await yard.finished(name="x", queue="q", priority=3)
    first = await reader.job(job)
    reader.statements.clear()
    writer.statements.clear()

    again = [await reader.job(job), await writer.job(job)]

    assert again == [first, first]
    assert reader.statements == writer.statements == []


async def test_hot_jobs_cost_few_statements(yard: Yard, reader: Shelved) -> None:
    jobs = await yard.enqueue(10)
    began = asyncio.get_running_loop().time()
    reads = 0

    while asyncio.get_running_loop().time() < began + 2.5:
        assert await reader.job(jobs[reads % 10])
        reads += 1

    # About one a second, unless the machine is too busy to read all of them within it.
    later = reader.statements[10:]
    assert len(later) <= max(6, reads / 10), f"{len(later)} statements for {reads} reads"


# --- never old ------------------------------------------------------------------------------------


async def test_no_change_leaves_an_old_job_behind(
    change: tuple[JobId, Callable[[], Awaitable[object]]], yard: Yard, reader: Shelved
) -> None:
    job, act = change
    before = await reader.job(job)
    assert before == await reader.job(job)

    await act()

    after = await reader.job(job)
    assert after != before
    assert ([after] if after else []) == await yard.store._find([job])


async def test_a_reader_that_fills_late_fills_nothing(
    change: tuple[JobId, Callable[[], Awaitable[object]]], opened: Callable[[], Shelved]
) -> None:
    job, act = change
    slow, other = opened(), opened()
    go_on = slow.line.hold("fill")
    reading = asyncio.create_task(slow.job(job))
    await slow.line.held_up()

    await act()
    go_on.set()

    before = await reading
    assert await other.job(job) != before


async def test_a_reader_that_came_between_look_and_commit_keeps_nothing(
    change: tuple[JobId, Callable[[], Awaitable[object]]], yard: Yard, opened: Callable[[], Shelved]
) -> None:
    job, act = change
    early, other = opened(), opened()
    store = yard.store
    assert isinstance(store, Shelved)
    await other.job(yard.id())  # so that there is something to drop
    go_on = store.line.hold("DEL")
    acting = asyncio.ensure_future(act())
    await store.line.held_up()

    await early.job(job)
    go_on.set()
    await acting

    assert await other.find([job]) == await other._find([job])


@pytest.mark.parametrize("change", [settled, cancelled, retried, deleted], indirect=True)
async def test_a_writer_that_dies_after_its_commit_leaves_nothing_old(
    change: tuple[JobId, Callable[[], Awaitable[object]]],
    writer: Shelved,
    reader: Shelved,
) -> None:
    job, act = change
    before = await reader.job(job)
    writer.line.cut_before = "DEL"

    await act()

    assert await reader.job(job) != before


@pytest.mark.parametrize("change", [claimed, settled, retried, deleted], indirect=True)
async def test_a_writer_that_cannot_tell_is_believed_within_a_second(
    change: tuple[JobId, Callable[[], Awaitable[object]]],
    writer: Shelved,
    reader: Shelved,
) -> None:
    job, act = change
    before = await reader.job(job)
    writer.line.cut = True

    await act()
    writer.line.cut = False

    assert await writer.job(job) != before, "who wrote it must read it"

    async def news() -> bool:
        return await reader.job(job) != before

    await until(news, at_most=LIFE / 1000 + 0.5)


@pytest.mark.parametrize("step", ["look", "fill"])
async def test_an_emptied_redis_brings_nothing_old_back(
    step: str,
    yard: Yard,
    opened: Callable[[], Shelved],
    redis: client.Redis,
) -> None:
    job, act = await settled(yard)
    slow, other = opened(), opened()
    go_on = slow.line.hold(step)
    reading = asyncio.create_task(slow.job(job))
    await slow.line.held_up()

    redis.flushdb()
    await act()
    go_on.set()
    await reading

    assert (await other.job(job)) == (await other._find([job]))[0]


async def test_what_was_kept_in_an_era_that_is_over_is_not_served(
    yard: Yard, reader: Shelved, redis: client.Redis
) -> None:
    """Evicting the one key that tells writers to look must not hide what they did meanwhile."""
    job, act = await settled(yard)
    [other] = await yard.enqueue()
    before = await reader.job(job)
    redis.delete(f"{KEYSPACE}era")

    await act()
    await reader.job(other)

    assert redis.exists(f"{KEYSPACE}job:{job}", f"{KEYSPACE}era") == 2
    assert await reader.job(job) != before


async def test_a_batch_costs_one_look_while_nobody_reads(yard: Yard, writer: Shelved) -> None:
    _, claim = await yard.running()
    writer.line.steps.clear()

    await yard.settle(claim, Done())

    assert writer.line.steps == ["EXISTS", "EXISTS"], "before and after the commit"


async def test_readers_never_go_back_while_everything_happens_at_once(
    yard: Yard, opened: Callable[[], Shelved], redis: client.Redis
) -> None:
    """Cancel and retry over and over: who begins to read after a verb sees at least its work."""
    [job] = await yard.enqueue()
    floor = 0
    over = False
    chance = random.Random(5)
    readers = [opened() for _ in range(4)]

    async def read(store: Shelved) -> int:
        reads = 0
        while not over:
            least = floor
            seen = await store.job(job)
            assert seen is not None
            assert 2 * seen.fence + (seen.state is State.CANCELLED) >= least
            reads += 1
            if chance.random() < 0.02:
                redis.flushdb()
        return reads

    reading = [asyncio.create_task(read(store)) for store in readers]
    for _ in range(40):
        assert await yard.store.cancel([job]) == []
        floor += 1
        await asyncio.sleep(chance.random() * 0.004)
        assert await yard.store.retry([job]) == [job]
        floor += 1
        await asyncio.sleep(chance.random() * 0.004)
    over = True

    assert sum(await asyncio.gather(*reading)) > 100


async def test_a_scheduled_job_is_not_kept_when_it_is_due_soon(yard: Yard, reader: Shelved) -> None:
    [soon] = await yard.enqueue(delay=timedelta(seconds=1))
    [later] = await yard.enqueue(delay=timedelta(seconds=60))
    await reader.find([soon, later])
    reader.statements.clear()

    await reader.find([later])
    assert reader.statements == []
    await reader.find([soon])
    assert reader.statements == ["find"]


# --- bounds ---------------------------------------------------------------------------------------


async def test_nothing_stays_longer_than_a_second(
    yard: Yard, reader: Shelved, redis: client.Redis
) -> None:
    jobs = await yard.enqueue(3)
    await reader.find([*jobs, yard.id()])

    kept = list(redis.scan_iter(f"{KEYSPACE}*"))
    assert len(kept) == 5
    assert all(0 < redis.pttl(key) <= LIFE for key in kept if b":job:" in key)
    assert 0 < redis.pttl(f"{KEYSPACE}era") <= ERA_LIFE


async def test_a_large_job_is_not_kept(yard: Yard, reader: Shelved) -> None:
    [job] = await yard.enqueue(payload='"' + "x" * MOST_BYTES + '"')
    await reader.job(job)
    reader.statements.clear()

    assert await reader.job(job)
    assert reader.statements == ["find"]


async def test_a_job_that_is_not_there_is_not_remembered(yard: Yard, reader: Shelved) -> None:
    new = yard.new()
    assert await reader.job(new.id) is None

    await yard.store.enqueue([new])

    assert await reader.job(new.id)


async def test_a_full_redis_changes_no_answer(
    database: Database, clock: OwnClock, yard: Yard
) -> None:
    with RedisServer() as server, client.Redis.from_url(server.url) as redis:
        store = Shelved(database, clock, server.url)
        job, act = await settled(Yard(store, clock))
        assert await store.job(job) == await store.job(job)
        redis.config_set("maxmemory", 1)

        await act()

        assert await store.job(job) == (await store._find([job]))[0]
        await store.close()


async def test_without_redis_everything_is_as_in_the_database(
    change: tuple[JobId, Callable[[], Awaitable[object]]], writer: Shelved, reader: Shelved
) -> None:
    job, act = change
    reader.line.cut = writer.line.cut = True
    before = await reader.job(job)

    await act()

    assert await reader.job(job) != before
