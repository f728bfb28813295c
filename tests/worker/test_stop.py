"""A worker ends in order: nothing is lost, nothing is charged, nothing runs twice."""

import asyncio
import threading

from tests.waiting import until
from tests.worker.faults import Faulty
from tests.worker.yard import Yard
from windlass.core.job import State
from windlass.observe.events import ChoreFailed, JobsHandedBack


async def test_what_runs_may_end_and_what_waits_goes_back(any_yard: Yard) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        await go_on.wait()

    any_yard.handles(work)
    running = await any_yard.enqueue("work")
    worker = await any_yard.hire(slots=1)
    run = asyncio.create_task(worker.run())
    await begun.wait()
    worker._ways[next(iter(worker._ways))].line.pace = 1000.0
    held = await any_yard.enqueue_many("work", 3)
    worker.ring()
    await until(lambda: worker._claimer.held == 3)

    worker.stop()
    await any_yard.come_to(State.PENDING, *held)
    late = await any_yard.enqueue("work")
    worker.ring()
    go_on.set()
    await run

    assert await any_yard.state(running) is State.COMPLETED
    assert await any_yard.state(late) is State.PENDING
    [back] = any_yard.seen.of(JobsHandedBack)
    assert set(back.jobs) == set(held)
    for job in held:
        given = await any_yard.job(job)
        assert (given.attempts, given.failures, given.fence) == (0, 0, 2)


async def test_what_does_not_end_in_time_is_cancelled_and_handed_back(yard: Yard) -> None:
    begun = asyncio.Semaphore(0)
    cancelled = asyncio.Event()

    async def work() -> None:
        begun.release()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    def plain() -> None:
        begun.release()
        threading.Event().wait(20)

    yard.handles(work)
    yard.handles(plain)
    job = await yard.enqueue("work")
    in_thread = await yard.enqueue("plain")
    worker = await yard.hire(drain=0.05)
    run = asyncio.create_task(worker.run())
    await begun.acquire()
    await begun.acquire()

    worker.stop()
    await run

    assert cancelled.is_set()
    told = [job for event in yard.seen.of(JobsHandedBack) for job in event.jobs]
    assert set(told) == {job, in_thread}
    for one in (job, in_thread):
        given = await yard.job(one)
        assert (given.state, given.attempts, given.failures) == (State.PENDING, 0, 0)


async def test_asked_again_without_a_drain_it_ends_at_once(yard: Yard) -> None:
    begun = asyncio.Event()

    async def work() -> None:
        begun.set()
        await asyncio.Event().wait()

    yard.handles(work)
    job = await yard.enqueue("work")
    worker = await yard.hire(drain=60.0)
    run = asyncio.create_task(worker.run())
    await begun.wait()

    worker.stop()
    worker.stop()  # the same wish twice is one drain
    await asyncio.sleep(0)
    assert not run.done()
    worker.stop(drain=False)
    await asyncio.wait_for(run, 20)

    assert await yard.state(job) is State.PENDING


async def test_a_handler_that_will_not_end_does_not_keep_the_worker(yard: Yard) -> None:
    begun, release = asyncio.Event(), asyncio.Event()

    async def stubborn() -> None:
        begun.set()
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue

    yard.handles(stubborn)
    job = await yard.enqueue("stubborn")
    worker = await yard.hire()
    run = asyncio.create_task(worker.run())
    await begun.wait()

    worker.stop(drain=False)
    await asyncio.wait_for(run, 20)

    given = await yard.job(job)
    assert (given.state, given.fence) == (State.PENDING, 2)
    release.set()
    await until(lambda: not any(way.count for way in worker._ways.values()))
    assert await yard.state(job) is State.PENDING


async def test_everything_is_settled_before_it_returns(yard: Yard) -> None:
    async def work() -> None: ...

    yard.handles(work)
    await yard.enqueue_many("work", 500)
    store = Faulty(yard.store)
    worker = await yard.hire(store)
    run = asyncio.create_task(worker.run())
    await until(lambda: store.sent)
    store.away = True
    await until(lambda: yard.seen.of(ChoreFailed))

    worker.stop()
    await until(lambda: any(event.away for event in yard.seen.of(ChoreFailed)))
    store.away = False
    await run

    counts = await yard.store.counts()
    assert counts[State.RUNNING] == 0
    assert counts[State.COMPLETED] + counts[State.PENDING] == 500


async def test_a_store_that_stays_away_does_not_keep_the_worker_beyond_its_lease(
    yard: Yard,
) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        await go_on.wait()

    yard.handles(work)
    await yard.enqueue("work")
    store = Faulty(yard.store)
    worker = await yard.hire(store)
    run = asyncio.create_task(worker.run())
    await begun.wait()
    store.away = True
    go_on.set()

    worker.stop()
    await until(lambda: any(event.chore == "settle" for event in yard.seen.of(ChoreFailed)))
    assert not run.done()
    yard.lease.revoke()
    await asyncio.wait_for(run, 20)

    assert "left to be reclaimed" in yard.seen.of(ChoreFailed)[-1].error
