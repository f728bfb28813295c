"""Cancelling reaches an attempt wherever it is, and never undoes what is done."""

import asyncio
import threading
from contextlib import suppress

from tests.waiting import until
from tests.worker.yard import Yard
from windlass.core.job import State
from windlass.executors.base import Cancel
from windlass.executors.context import Context


async def test_a_claim_that_waits_is_cancelled_at_once(yard: Yard) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()
    ran: list[int] = []

    async def work(number: int) -> None:
        ran.append(number)
        begun.set()
        await go_on.wait()

    yard.handles(work)
    await yard.enqueue("work", '{"number": 1}')
    async with yard.working(slots=1) as worker:
        await begun.wait()
        # A worker that measured short jobs holds one more than it has slots for.
        worker._ways[next(iter(worker._ways))].line.pace = 1000.0
        job = await yard.enqueue("work", '{"number": 2}')
        worker.ring()
        await until(lambda: worker._claimer.held == 1)
        worker.cancel(job, 1)
        await yard.come_to(State.CANCELLED, job)
        go_on.set()

    assert ran == [1]


async def test_a_coroutine_is_cancelled_where_it_waits(any_yard: Yard) -> None:
    begun = asyncio.Event()
    cleaned_up = asyncio.Event()

    async def work() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            cleaned_up.set()

    any_yard.handles(work)
    job = await any_yard.enqueue("work")

    async with any_yard.working() as worker:
        await begun.wait()
        worker.cancel(job, 1)
        worker.cancel(job, 1)  # it is asked every second until it has ended
        [cancelled] = await any_yard.come_to(State.CANCELLED, job)

    assert cleaned_up.is_set()
    assert cancelled.attempts == 0


async def test_others_go_on_when_one_is_cancelled(yard: Yard) -> None:
    begun, go_on = asyncio.Semaphore(0), asyncio.Event()

    async def work() -> None:
        begun.release()
        await go_on.wait()

    yard.handles(work)
    jobs = await yard.enqueue_many("work", 5)

    async with yard.working() as worker:
        for _ in jobs:
            await begun.acquire()
        worker.cancel(jobs[2], 1)
        await yard.come_to(State.CANCELLED, jobs[2])
        go_on.set()
        await yard.come_to(State.COMPLETED, *jobs[:2], *jobs[3:])
        late = await yard.enqueue_many("work", 20)
        worker.ring()
        await yard.come_to(State.COMPLETED, *late)


async def test_a_handler_that_finishes_nevertheless_has_finished(yard: Yard) -> None:
    begun = asyncio.Event()

    async def stubborn() -> str:
        begun.set()
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        return "done"

    yard.handles(stubborn)
    job = await yard.enqueue("stubborn")

    async with yard.working() as worker:
        await begun.wait()
        worker.cancel(job, 1)
        [done] = await yard.come_to(State.COMPLETED, job)
        # The next job finds nothing of that cancellation.
        begun.clear()
        other = await yard.enqueue("stubborn")
        worker.ring()
        await begun.wait()
        worker.cancel(other, 1)
        await yard.come_to(State.COMPLETED, other)

    assert done.result == '"done"'


async def test_a_cancellation_that_nobody_asked_for_is_a_failure(yard: Yard) -> None:
    async def wait_for_a_cancelled_one() -> None:
        future = asyncio.get_running_loop().create_future()
        future.cancel()
        await future

    yard.handles(wait_for_a_cancelled_one)
    job = await yard.enqueue("wait_for_a_cancelled_one", max_attempts=1)

    async with yard.working():
        [failed] = await yard.come_to(State.FAILED, job)

    assert failed.error == "CancelledError"


async def test_a_plain_function_sees_that_it_is_to_stop(yard: Yard) -> None:
    begun = threading.Event()

    def work(ctx: Context) -> None:
        begun.set()
        while not ctx.cancelled:
            pass
        raise Cancel

    yard.handles(work)
    job = await yard.enqueue("work")

    async with yard.working() as worker:
        await until(begun.is_set)
        worker.cancel(job, 1)
        await yard.come_to(State.CANCELLED, job)


async def test_an_attempt_that_is_not_here_cannot_be_cancelled(yard: Yard) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        await go_on.wait()

    yard.handles(work)
    job = await yard.enqueue("work")

    async with yard.working() as worker:
        await begun.wait()
        worker.cancel(job, 7)  # another attempt of the same job
        go_on.set()
        await yard.come_to(State.COMPLETED, job)


async def test_a_handler_that_cancels_its_own_task_fails_alone(yard: Yard) -> None:
    async def cancel_itself() -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.Event().wait()

    async def leave_a_cancel_behind() -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()

    async def hello() -> str:
        await asyncio.sleep(0)
        return "hello"

    for handler in (cancel_itself, leave_a_cancel_behind, hello):
        yard.handles(handler)
    failing = await yard.enqueue("cancel_itself", max_attempts=1)
    leaving = await yard.enqueue("leave_a_cancel_behind")
    others = await yard.enqueue_many("hello", 10)

    async with yard.working(slots=1):
        [failed] = await yard.come_to(State.FAILED, failing)
        await yard.come_to(State.COMPLETED, leaving, *others)

    assert failed.error == "CancelledError"
