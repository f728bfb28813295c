"""Suspects run alone, wide jobs are not starved by narrow ones, and neither stops the others."""

import asyncio
from collections.abc import Sequence

from tests.waiting import until
from tests.worker.faults import Faulty
from tests.worker.yard import Yard, running, standing
from windlass.core.job import Lane, State
from windlass.core.placement import Head
from windlass.core.settle import Settlement
from windlass.executors.context import Context
from windlass.store.base import Store
from windlass.store.records import Demand

SECOND = 1_000_000


class Slow(Faulty):
    """A store that settles when it is told to."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.go_on = asyncio.Event()

    async def settle(self, settlements: Sequence[Settlement]) -> list[Settlement]:
        """Wait, and settle."""
        await self.go_on.wait()
        return await super().settle(settlements)


async def test_a_quarantine_takes_suspects_only_and_one_at_a_time(any_yard: Yard) -> None:
    most = running_now = 0

    async def work() -> None:
        nonlocal most, running_now
        running_now += 1
        most = max(most, running_now)
        await asyncio.sleep(0.005)
        running_now -= 1

    any_yard.handles(work)
    suspects = [await any_yard.suspect("work") for _ in range(3)]
    ordinary = await any_yard.enqueue("work")
    assert {(await any_yard.job(job)).lane for job in suspects} == {Lane.ALONE}

    async with any_yard.working(alone=True, slots=1):
        await any_yard.come_to(State.COMPLETED, *suspects)

    assert most == 1
    assert await any_yard.state(ordinary) is State.PENDING


async def test_a_quarantine_takes_the_next_suspect_once_the_last_is_settled(yard: Yard) -> None:
    async def work() -> None: ...

    store = Slow(yard.store)
    yard.handles(work)
    first, second = [await yard.suspect("work") for _ in range(2)]

    async with yard.working(store=store, alone=True, slots=1) as worker:
        await until(lambda: worker._settler.unsettled)
        worker.ring()
        await asyncio.sleep(0.1)
        waiting = await yard.state(second)
        store.go_on.set()
        await yard.come_to(State.COMPLETED, first, second)

    # Else the first would be charged with the death of the second.
    assert waiting is State.PENDING


async def test_an_ordinary_worker_takes_no_suspect(yard: Yard) -> None:
    async def work() -> None: ...

    yard.handles(work)
    suspect = await yard.suspect("work")
    ordinary = await yard.enqueue("work")

    async with yard.working() as worker:
        worker.learn(standing(suspects=1))
        worker.ring()
        await yard.come_to(State.COMPLETED, ordinary)

    assert await yard.state(suspect) is State.PENDING


async def test_an_embedded_worker_runs_a_suspect_while_it_runs_nothing_else(yard: Yard) -> None:
    seen: list[int] = []
    now = 0
    go_on = asyncio.Event()

    async def suspicious() -> None:
        seen.append(now)
        await asyncio.sleep(0.01)
        seen.append(now)

    async def work() -> None:
        nonlocal now
        now += 1
        await go_on.wait()
        now -= 1

    yard.handles(suspicious)
    yard.handles(work)
    suspect = await yard.suspect("suspicious")
    ordinary = await yard.enqueue_many("work", 3)
    worker = await yard.hire(takes_suspects=True, patience=0.0)

    async with running(worker):
        await until(lambda: now == 3)
        worker.learn(standing(suspects=1))
        late = await yard.enqueue_many("work", 3)
        worker.ring()
        await asyncio.sleep(0.05)
        assert seen == []
        go_on.set()
        await yard.come_to(State.COMPLETED, suspect)
        worker.learn(standing(suspects=0))
        worker.ring()
        await yard.come_to(State.COMPLETED, *ordinary, *late)

    assert seen == [0, 0]


async def test_threads_are_kept_free_for_a_wide_job_that_has_waited(yard: Yard) -> None:
    order: list[str] = []
    go_on = asyncio.Event()

    async def narrow(name: str) -> None:
        order.append(name)
        if name == "first":
            await go_on.wait()

    async def wide(ctx: Context) -> None:
        order.append(f"wide on {ctx.threads}")

    async def peek(demand: Demand) -> Head | None:
        waiting = (await yard.job(big)).state is State.PENDING
        assert demand.lane is Lane.THREADS
        return Head(threads=4, waited=10.0) if waiting else None

    yard.handles(narrow)
    yard.handles(wide)
    worker = await yard.hire(peek=peek, threads=4, patience=5.0)
    await yard.enqueue("narrow", '{"name": "first"}', threads=1)

    async with running(worker):
        await until(lambda: order == ["first"])
        big = await yard.enqueue("wide", threads=4)
        others = [await yard.enqueue("narrow", '{"name": "later"}', threads=1) for _ in range(3)]
        worker.ring()
        await asyncio.sleep(0.1)
        assert order == ["first"]
        go_on.set()
        await yard.come_to(State.COMPLETED, big, *others)

    assert order == ["first", "wide on 4", "later", "later", "later"]


async def test_neither_lane_waits_for_the_other_to_run_dry(yard: Yard) -> None:
    open_jobs = 0
    when: list[int] = []

    async def short() -> None:
        nonlocal open_jobs
        open_jobs += 1

    async def compute() -> None:
        when.append(open_jobs)

    yard.handles(short)
    yard.handles(compute)
    await yard.enqueue_many("short", 4_000)
    await yard.enqueue("compute", threads=1)

    async with yard.working():
        await until(lambda: yard.settled() == 4_001)

    assert when[0] < 4_000


async def test_a_change_of_aging_makes_the_worker_look_everywhere(yard: Yard) -> None:
    async def work() -> None: ...

    yard.handles(work)
    await yard.enqueue_many("work", 10)
    worker = await yard.hire(poll=60.0)

    async with running(worker):
        worker.learn(standing())
        await until(lambda: yard.settled() == 10)
        fronts = list(worker._claimer._fronts)
        assert any(front.marks.mark is not None for front in fronts)
        worker.learn(standing(aging_us=SECOND))
        assert all(front.marks.mark is None for front in fronts)
