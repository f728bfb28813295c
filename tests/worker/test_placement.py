"""Threads are granted once, in rank order, and where they are: nobody is starved of them."""

import asyncio
import time

import pytest

from tests.waiting import until
from tests.worker.faults import Faulty
from tests.worker.yard import Yard, running, standing
from windlass.core.job import State
from windlass.executors.context import Context
from windlass.store.base import Store
from windlass.store.records import Claimed, Demand
from windlass.worker.worker import Worker


class Hearing(Faulty):
    """A store that lets the worker hear of the fleet between a claim and its answer."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.worker: Worker | None = None

    async def claim(self, demand: Demand) -> Claimed:
        """Claim, and let a wider worker join."""
        claimed = await super().claim(demand)
        if claimed.claims and self.worker is not None:
            self.worker.learn(standing(widest=8))
        return claimed


async def test_a_worker_that_knows_no_fleet_yet_leaves_wide_jobs_to_it(any_yard: Yard) -> None:
    granted: list[int] = []

    async def work(ctx: Context) -> None:
        granted.append(ctx.threads)

    any_yard.handles(work)
    wide = await any_yard.enqueue("work", threads=6)
    narrow = await any_yard.enqueue("work", threads=2)

    async with any_yard.working(threads=4) as worker:
        await any_yard.come_to(State.COMPLETED, narrow)
        assert await any_yard.state(wide) is State.PENDING
        worker.learn(standing(widest=4))
        worker.ring()
        await any_yard.come_to(State.COMPLETED, wide)

    assert granted == [2, 1]
    [line] = await any_yard.store.lines(wide)
    assert line.message == "asked for 6 threads, more than any live worker has: runs on one"


async def test_threads_are_granted_as_they_were_claimed(any_yard: Yard) -> None:
    granted: list[int] = []
    go_on = asyncio.Event()

    async def work(ctx: Context) -> None:
        granted.append(ctx.threads)
        await go_on.wait()

    any_yard.handles(work)
    wide = await any_yard.enqueue_many("work", 2, threads=6)
    store = Hearing(any_yard.store)
    worker = store.worker = await any_yard.hire(store, threads=4)
    worker.learn(standing(widest=4))

    async with running(worker):
        await until(lambda: len(granted) == 2)
        free = worker._slots.free_threads
        go_on.set()
        await any_yard.come_to(State.COMPLETED, *wide)

    assert granted == [1, 1]
    assert free == 2


async def test_a_wide_worker_that_is_gone_for_a_moment_is_waited_for(yard: Yard) -> None:
    granted: list[int] = []

    async def work(ctx: Context) -> None:
        granted.append(ctx.threads)

    yard.handles(work)
    worker = await yard.hire(threads=4, patience=1.0, poll=0.05)
    worker.learn(standing(widest=8))
    worker.learn(standing(widest=4))

    async with running(worker):
        wide = await yard.enqueue("work", threads=6)
        worker.ring()
        await asyncio.sleep(0.1)
        assert await yard.state(wide) is State.PENDING
        await yard.come_to(State.COMPLETED, wide)

    assert granted == [1]


async def test_a_line_of_wide_jobs_keeps_the_threads_busy(any_yard: Yard) -> None:
    async def work() -> None:
        await asyncio.sleep(0.005)

    any_yard.handles(work)
    for priority in range(100):
        await any_yard.enqueue("work", threads=2, priority=priority)

    async with any_yard.working(threads=4) as worker:
        worker.learn(standing(widest=4))
        await until(lambda: any_yard.settled() >= 1)
        began = time.monotonic()
        await until(lambda: any_yard.settled() == 100)
        took = time.monotonic() - began

    # Two at a time; without looking at the whole line, two each 200 ms: 10 s.
    assert took < 8


@pytest.mark.parametrize("kind", ["coroutine", "plain"])
async def test_a_full_house_of_other_jobs_does_not_starve_those_that_ask_for_threads(
    yard: Yard, kind: str
) -> None:
    done = 0
    when: list[int] = []

    async def coroutine() -> None:
        nonlocal done
        await asyncio.sleep(0.005)
        done += 1

    def plain() -> None:
        nonlocal done
        time.sleep(0.005)
        done += 1

    async def compute_coroutine() -> None:
        when.append(done)

    def compute_plain() -> None:
        when.append(done)

    for handler in (coroutine, plain, compute_coroutine, compute_plain):
        yard.handles(handler)
    await yard.enqueue_many(kind, 3_000)

    async with yard.working(slots=8, pool_threads=8) as worker:
        worker.learn(standing(widest=4))
        await until(lambda: done > 500)
        asked_at = done
        await yard.enqueue(f"compute_{kind}", threads=1, priority=50)
        worker.ring()
        await until(lambda: when)

    assert when[0] < asked_at + 1_000
