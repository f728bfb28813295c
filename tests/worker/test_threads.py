"""Plain functions in threads: bounded, and left behind when they will not end."""

import threading

from tests.waiting import until
from tests.worker.yard import Yard
from windlass.core.job import State
from windlass.observe.events import AttemptFailed


async def test_no_more_threads_than_allowed_run_at_once(yard: Yard) -> None:
    lock = threading.Lock()
    running, most = 0, 0

    def work() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        threading.Event().wait(0.005)
        with lock:
            running -= 1

    yard.handles(work)
    await yard.enqueue_many("work", 40)

    async with yard.working(pool_threads=4):
        await until(lambda: yard.settled() == 40)

    assert most == 4


async def test_coroutines_go_on_while_every_thread_is_busy(yard: Yard) -> None:
    go_on = threading.Event()

    def block() -> None:
        go_on.wait(20)

    async def hello() -> None: ...

    yard.handles(block)
    yard.handles(hello)
    blocked = await yard.enqueue_many("block", 20)
    quick = await yard.enqueue_many("hello", 20)

    async with yard.working(pool_threads=2):
        await yard.come_to(State.COMPLETED, *quick)
        counts = await yard.store.counts()
        go_on.set()
        await yard.come_to(State.COMPLETED, *blocked)

    assert counts[State.PENDING] >= 10  # left for other workers


async def test_a_thread_that_outlives_its_timeout_fails_in_time_and_keeps_its_slot(
    yard: Yard,
) -> None:
    begun, go_on = threading.Semaphore(0), threading.Event()

    def hang() -> str:
        begun.release()
        go_on.wait(20)
        return "too late"

    def hello() -> None: ...

    yard.handles(hang, timeout=0.05)
    yard.handles(hello)
    jobs = await yard.enqueue_many("hang", 3, max_attempts=1)

    async with yard.working(slots=4, pool_threads=2) as worker:
        failed = await yard.come_to(State.FAILED, *jobs)
        # The pool has one replacement; the slots of those left behind stay taken.
        after = await yard.enqueue("hello")
        worker.ring()
        running = worker._slots.running
        go_on.set()
        await yard.come_to(State.COMPLETED, after)
        await until(lambda: worker._slots.running == 0)

    expected = "timed out after 0.05 s; its thread cannot be stopped and was left behind"
    assert {job.error for job in failed} == {expected}
    assert {job.result for job in failed} == {None}
    assert running >= 3
    assert len(yard.seen.of(AttemptFailed)) == 3


async def test_threads_granted_to_one_left_behind_are_not_granted_again(yard: Yard) -> None:
    go_on = threading.Event()

    def hang() -> None:
        go_on.wait(20)

    def hello() -> None: ...

    yard.handles(hang, timeout=0.05)
    yard.handles(hello)
    job = await yard.enqueue("hang", threads=3, max_attempts=1)

    async with yard.working(threads=4) as worker:
        await yard.come_to(State.FAILED, job)
        await until(lambda: not worker._settler.unsettled)
        assert worker._slots.free_threads == 1
        go_on.set()
        await until(lambda: worker._slots.free_threads == 4)


async def test_nothing_that_a_handler_raises_ends_a_thread(yard: Yard) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    def hello() -> None: ...

    yard.handles(interrupt)
    yard.handles(hello)
    jobs = await yard.enqueue_many("interrupt", 3, max_attempts=1)
    after = await yard.enqueue("hello")

    async with yard.working(pool_threads=1):
        failed = await yard.come_to(State.FAILED, *jobs)
        await yard.come_to(State.COMPLETED, after)

    assert {job.error for job in failed} == {"KeyboardInterrupt"}
