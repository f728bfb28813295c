"""A worker that was told to drain finishes what it runs, and claims no more until it may."""

import asyncio

from msgspec.structs import replace

from tests.waiting import until
from tests.worker.yard import Yard, standing
from windlass.core.job import State


async def test_a_worker_drains_and_takes_jobs_again(any_yard: Yard) -> None:
    begun, go_on = asyncio.Semaphore(0), asyncio.Event()

    async def work() -> None:
        begun.release()
        await go_on.wait()

    any_yard.handles(work)
    running = await any_yard.enqueue("work")
    worker = await any_yard.hire(slots=1)
    run = asyncio.create_task(worker.run())
    await begun.acquire()
    worker._ways[next(iter(worker._ways))].line.pace = 1000.0
    held = await any_yard.enqueue_many("work", 3)
    worker.ring()
    await until(lambda: worker._claimer.held == 3)

    worker.learn(replace(standing(), draining=(worker.id,)))
    await any_yard.come_to(State.PENDING, *held)
    go_on.set()
    await any_yard.come_to(State.COMPLETED, running)
    worker.ring()
    await until(lambda: worker._claimer._wake.is_set() is False)
    left = [await any_yard.state(job) for job in held]
    roomy = worker.has_room
    worker.learn(standing())
    await any_yard.come_to(State.COMPLETED, *held)
    worker.stop()
    await run

    assert left == [State.PENDING] * 3
    assert not roomy
