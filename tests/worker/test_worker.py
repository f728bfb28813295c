"""A worker claims, runs and settles: in order, within its bounds, and on both stores."""

import asyncio
import contextvars

import pytest

from tests.waiting import until
from tests.worker.faults import Faulty
from tests.worker.yard import Yard, standing
from windlass.core.job import Policy, State
from windlass.executors.base import Cancel, Discard, Retry, Snooze
from windlass.executors.context import Context
from windlass.observe.events import AttemptFailed, JobsClaimed
from windlass.store.records import Claimed, Demand
from windlass.worker import front


async def test_a_job_is_run_and_its_result_kept(any_yard: Yard) -> None:
    async def add(a: int, b: int) -> int:
        return a + b

    any_yard.handles(add)
    job = await any_yard.enqueue("add", '{"a": 1, "b": 2}')

    async with any_yard.working():
        [done] = await any_yard.come_to(State.COMPLETED, job)

    assert done.result == "3"
    assert done.attempts == 1
    assert done.started_at is not None
    assert done.finished_at is not None
    assert done.run_at <= done.started_at <= done.finished_at


async def test_many_short_jobs_are_all_run_once(any_yard: Yard) -> None:
    ran: list[None] = []

    async def count() -> None:
        ran.append(None)

    any_yard.handles(count)
    await any_yard.enqueue_many("count", 3_000)

    async with any_yard.working():
        await until(lambda: any_yard.settled() == 3_000)

    assert len(ran) == 3_000
    assert (await any_yard.store.counts())[State.COMPLETED] == 3_000


async def test_the_end_of_a_drain_waits_for_no_look_after_a_lull(
    any_yard: Yard, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def count() -> None:
        return

    never = 3_600.0
    monkeypatch.setattr(front, "LULL", never)
    any_yard.handles(count)
    for priority in (0, 5, -5):
        await any_yard.enqueue_many("count", 500, priority=priority)

    async with any_yard.working(poll=never), any_yard.working(poll=never):
        await until(lambda: any_yard.settled() == 1_500)


async def test_jobs_start_in_the_order_of_their_rank(any_yard: Yard) -> None:
    order: list[int] = []

    async def note(number: int) -> None:
        order.append(number)
        await asyncio.sleep(0)

    any_yard.handles(note)
    for number, priority in enumerate([0, 5, -5, 5, 0, 1]):
        await any_yard.enqueue("note", f'{{"number": {number}}}', priority=priority)

    async with any_yard.working(slots=1):
        await until(lambda: len(order) == 6)

    assert order == [1, 3, 5, 0, 4, 2]


async def test_never_more_attempts_run_than_there_are_slots(yard: Yard) -> None:
    running, most = 0, 0

    async def busy() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.002)
        running -= 1

    def plain() -> None:
        nonlocal most
        most = max(most, running + 1)

    yard.handles(busy)
    yard.handles(plain)
    await yard.enqueue_many("busy", 60)
    await yard.enqueue_many("plain", 20)
    await yard.enqueue_many("busy", 60)

    async with yard.working(slots=7):
        await until(lambda: yard.settled() == 140)

    assert most == 7


async def test_long_jobs_are_left_for_other_workers(yard: Yard) -> None:
    begun, go_on = asyncio.Semaphore(0), asyncio.Event()

    async def wait() -> None:
        begun.release()
        await go_on.wait()

    yard.handles(wait)
    await yard.enqueue_many("wait", 20)

    async with yard.working(slots=3) as worker:
        for _ in range(3):
            await begun.acquire()
        worker.ring()
        counts = await yard.store.counts()
        assert counts[State.RUNNING] == 3
        assert not worker.has_room
        go_on.set()
        await until(lambda: yard.settled() == 20)


async def test_short_jobs_come_in_large_batches(yard: Yard) -> None:
    async def nothing() -> None:
        pass

    yard.handles(nothing)
    await yard.enqueue_many("nothing", 5_000)

    async with yard.working(slots=10, claim_batch=200, max_held=400):
        await until(lambda: yard.settled() == 5_000)

    sizes = [event.count for event in yard.seen.of(JobsClaimed)]
    assert max(sizes) == 200


async def test_work_that_turns_out_to_be_long_is_handed_back(yard: Yard) -> None:
    go_on = asyncio.Event()

    async def either(*, long: bool) -> None:
        if long:
            await go_on.wait()

    yard.handles(either)
    jobs = [await yard.enqueue("either", '{"long": false}') for _ in range(300)]
    jobs += [await yard.enqueue("either", '{"long": true}', priority=-1) for _ in range(200)]

    async with yard.working(slots=2):
        await until(lambda: yard.settled() >= 300)

        async def only_the_running_are_claimed() -> bool:
            return (await yard.store.counts())[State.RUNNING] == 2

        await until(only_the_running_are_claimed)
        go_on.set()
        await yard.come_to(State.COMPLETED, *jobs)


async def test_a_bell_makes_an_idle_worker_look(yard: Yard) -> None:
    ran = asyncio.Event()

    async def hello() -> None:
        ran.set()

    yard.handles(hello)
    rooms: list[bool] = []
    worker = await yard.hire(poll=60.0)
    worker.on_room = rooms.append
    async with asyncio.TaskGroup() as group:
        group.create_task(worker.run())
        await until(lambda: rooms == [True])
        await yard.enqueue("hello")
        worker.ring()
        await asyncio.wait_for(ran.wait(), 20)
        worker.stop()


async def test_a_bell_that_rings_during_a_claim_is_not_lost(yard: Yard) -> None:
    ran = asyncio.Event()

    async def hello() -> None:
        ran.set()

    yard.handles(hello)
    store = Faulty(yard.store)
    asking, answer = asyncio.Event(), asyncio.Event()
    claim = store.claim

    async def slow(demand: Demand) -> Claimed:
        claimed = await claim(demand)
        asking.set()
        await answer.wait()
        return claimed

    store.claim = slow  # type: ignore[method-assign]
    async with yard.working(store, poll=60.0) as worker:
        await asking.wait()
        await yard.enqueue("hello")
        worker.ring()
        answer.set()
        await asyncio.wait_for(ran.wait(), 20)


async def test_a_worker_that_is_cancelled_leaves_nothing_running(yard: Yard) -> None:
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    yard.handles(work)
    await yard.enqueue("work")
    worker = await yard.hire()
    run = asyncio.create_task(worker.run())
    await begun.wait()

    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run

    assert cancelled.is_set()


async def test_a_fault_of_the_worker_itself_ends_it_in_order(yard: Yard) -> None:
    begun = asyncio.Event()

    async def work() -> None:
        begun.set()
        await asyncio.Event().wait()

    yard.handles(work)
    job = await yard.enqueue("work")
    worker = await yard.hire()
    run = asyncio.create_task(worker.run())
    await begun.wait()

    worker._gear.on_fault(RuntimeError("a bug"))
    with pytest.raises(RuntimeError, match="a bug"):
        await run

    assert await yard.state(job) is State.PENDING


async def test_without_a_bell_polling_finds_the_job(yard: Yard) -> None:
    ran = asyncio.Event()

    async def hello() -> None:
        ran.set()

    yard.handles(hello)
    async with yard.working(poll=0.05) as worker:
        await until(lambda: worker.has_room)
        await yard.enqueue("hello")
        await asyncio.wait_for(ran.wait(), 20)


async def test_only_named_queues_are_served(any_yard: Yard) -> None:
    async def hello() -> None: ...

    any_yard.handles(hello)
    mine = await any_yard.enqueue("hello", queue="mail")
    other = await any_yard.enqueue("hello", queue="video")

    async with any_yard.working(queues=("mail",)):
        await any_yard.come_to(State.COMPLETED, mine)

    assert await any_yard.state(other) is State.PENDING


async def test_a_failure_is_kept_with_its_error_and_tried_again_later(any_yard: Yard) -> None:
    async def break_down() -> None:
        raise ValueError("no \0 good \ud800")

    any_yard.handles(break_down)
    job = await any_yard.enqueue("break_down")

    async with any_yard.working():
        [failed] = await any_yard.come_to(State.SCHEDULED, job)

    [attempt] = await any_yard.store.attempts(job)
    assert failed.failures == 1
    assert attempt.error == "ValueError: no \N{REPLACEMENT CHARACTER} good ?"
    assert attempt.trace is not None
    assert "break_down" in attempt.trace
    assert "runner.py" not in attempt.trace
    [told] = any_yard.seen.of(AttemptFailed)
    assert (told.job, told.type, told.attempt) == (job, "break_down", 1)


async def test_a_handler_may_say_how_its_attempt_ends(yard: Yard) -> None:
    def snooze() -> None:
        raise Snooze(60)

    def cancel() -> None:
        raise Cancel

    async def discard() -> None:
        raise Discard("nobody wants it")

    async def retry() -> None:
        raise Retry("busy", after=3600)

    for handler in (snooze, cancel, discard, retry):
        yard.handles(handler)
    jobs = [await yard.enqueue(name) for name in ("snooze", "cancel", "discard", "retry")]

    async with yard.working():
        await until(lambda: yard.settled() == 4)
    snoozed, cancelled, discarded, retried = [await yard.job(job) for job in jobs]

    assert (snoozed.state, snoozed.attempts) == (State.SCHEDULED, 0)
    assert cancelled.state is State.CANCELLED
    assert (discarded.state, discarded.error) == (State.FAILED, "nobody wants it")
    assert (retried.state, retried.failures) == (State.SCHEDULED, 1)
    assert (retried.run_at - retried.created_at).total_seconds() >= 3600


async def test_a_handler_that_exits_fails_and_takes_nobody_along(yard: Yard) -> None:
    async def leave() -> None:
        raise SystemExit(3)

    async def stay() -> None: ...

    yard.handles(leave, max_attempts=1)
    yard.handles(stay)
    job = await yard.enqueue("leave", max_attempts=1)
    other = await yard.enqueue("stay")

    async with yard.working():
        [failed] = await yard.come_to(State.FAILED, job)
        await yard.come_to(State.COMPLETED, other)

    assert failed.error == "SystemExit: 3"


async def test_a_payload_that_no_longer_fits_fails_for_good(yard: Yard) -> None:
    async def add(a: int) -> int:
        return a

    yard.handles(add)
    job = await yard.enqueue("add", '{"b": 1}')

    async with yard.working():
        [failed] = await yard.come_to(State.FAILED, job)

    assert failed.reason == "final"
    assert failed.error is not None
    assert failed.error.startswith("BadPayload")


async def test_context_variables_do_not_leak_from_job_to_job(yard: Yard) -> None:
    tenant = contextvars.ContextVar("tenant", default="nobody")
    found: list[str] = []

    async def serve(name: str) -> None:
        found.append(tenant.get())
        tenant.set(name)

    yard.handles(serve)
    for number in range(20):
        await yard.enqueue("serve", f'{{"name": "{number}"}}')

    async with yard.working(slots=2):
        await until(lambda: len(found) == 20)

    assert found == ["nobody"] * 20


async def test_a_job_asked_to_run_on_threads_is_granted_them(yard: Yard) -> None:
    granted: list[int] = []
    widths: list[int] = []
    used = 0

    async def compute(ctx: Context) -> None:
        nonlocal used
        used += ctx.threads
        granted.append(ctx.threads)
        widths.append(used)
        await asyncio.sleep(0.002)
        used -= ctx.threads

    yard.handles(compute)
    for demand in (1, 2, 3, 4, 1, 2, 1, 9):
        await yard.enqueue("compute", threads=demand)

    async with yard.working(threads=4) as worker:
        worker.learn(standing(widest=4))
        await until(lambda: yard.settled() == 8)

    assert sorted(granted) == [1, 1, 1, 1, 2, 2, 3, 4]
    assert max(widths) <= 4


async def test_a_jobs_own_timeout_goes_before_that_of_its_type(yard: Yard) -> None:
    async def forever() -> None:
        await asyncio.Event().wait()

    yard.handles(forever, timeout=60)
    job = await yard.enqueue("forever", max_attempts=1, policy=Policy(timeout=0.01))

    async with yard.working():
        [failed] = await yard.come_to(State.FAILED, job)

    assert failed.error == "timed out after 0.01 s"


async def test_a_timeout_of_the_handlers_own_is_told_from_the_attempts(yard: Yard) -> None:
    async def impatient() -> None:
        async with asyncio.timeout(0.001):
            await asyncio.Event().wait()

    yard.handles(impatient, timeout=60)
    job = await yard.enqueue("impatient", max_attempts=1)

    async with yard.working():
        [failed] = await yard.come_to(State.FAILED, job)

    assert failed.error == "TimeoutError"
