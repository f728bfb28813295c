"""A worker acts only while its lease can be trusted."""

import asyncio
import os
import threading

from tests.waiting import until
from tests.worker.faults import Faulty
from tests.worker.yard import LEASE, Yard
from windlass.clock import SystemClock
from windlass.core.job import JobId, State
from windlass.executors.context import Context
from windlass.observe.events import AttemptFailed, JobsHandedBack
from windlass.store.records import Claimed, Demand
from windlass.worker.lease import LocalLease, SharedLease
from windlass.worker.memory import shared_memory


async def test_nothing_starts_without_trust_and_work_goes_on_with_it(yard: Yard) -> None:
    ran = asyncio.Event()

    async def work() -> None:
        ran.set()

    yard.handles(work)
    yard.lease.revoke()
    job = await yard.enqueue("work")

    async with yard.working(poll=0.02) as worker:
        worker.ring()
        await asyncio.sleep(0.2)
        assert await yard.state(job) is State.PENDING
        yard.lease.extend(yard.clock.monotonic() + 60)
        await yard.come_to(State.COMPLETED, job)


async def one_that_ends_at_its_second_start(yard: Yard) -> tuple[asyncio.Semaphore, JobId]:
    """A job that holds on when it first runs; the semaphore counts its starts."""
    runs = asyncio.Semaphore(0)
    first = True

    async def work() -> None:
        nonlocal first
        runs.release()
        if first:
            first = False
            await asyncio.Event().wait()

    yard.handles(work)
    return runs, await yard.enqueue("work")


async def test_a_coroutine_is_handed_back_uncharged_when_trust_is_lost(yard: Yard) -> None:
    runs, job = await one_that_ends_at_its_second_start(yard)

    async with yard.working():
        await runs.acquire()
        yard.lease.revoke()
        await yard.come_to(State.PENDING, job)
        yard.lease.extend(yard.clock.monotonic() + 60)
        [done] = await yard.come_to(State.COMPLETED, job)

    assert (done.attempts, done.failures) == (1, 0)
    assert yard.seen.of(AttemptFailed) == []


async def test_trust_that_was_lost_and_came_back_unseen_was_lost_all_the_same(yard: Yard) -> None:
    runs, job = await one_that_ends_at_its_second_start(yard)

    async with yard.working():
        await runs.acquire()
        # As after a freeze of the whole node, of which its supervisor wakes up first.
        yard.lease.revoke()
        yard.lease.extend(yard.clock.monotonic() + 60)
        [done] = await yard.come_to(State.COMPLETED, job)

    assert (done.attempts, done.failures) == (1, 0)


async def test_a_plain_function_sees_that_it_may_no_longer_act(yard: Yard) -> None:
    begun = threading.Event()

    def work(ctx: Context) -> str:
        begun.set()
        while not ctx.cancelled:
            pass
        return "seen"

    yard.handles(work)
    job = await yard.enqueue("work")

    async with yard.working():
        await until(begun.is_set)
        yard.lease.revoke()
        [done] = await yard.come_to(State.COMPLETED, job)

    assert done.result == '"seen"'


async def test_a_transaction_is_refused_without_trust(yard: Yard) -> None:
    problems: list[str] = []

    async def work(ctx: Context) -> None:
        yard.lease.revoke()
        try:
            ctx.transaction()
        except Exception as problem:
            problems.append(str(problem))
            raise

    yard.handles(work)
    job = await yard.enqueue("work")

    async with yard.working():
        await until(lambda: problems)
        [back] = await yard.come_to(State.PENDING, job)

    assert problems == ["the lease is in doubt, so that another worker may run this job by now"]
    assert back.failures == 0


def test_a_lease_is_not_trusted_before_it_is_granted() -> None:
    clock = SystemClock()
    lease = LocalLease(clock)
    assert not lease.trusted()

    lease.extend(clock.monotonic() + 60)
    assert lease.trusted()

    lease.revoke()
    assert not lease.trusted()


def test_a_shared_lease_is_seen_by_whoever_shares_it() -> None:
    fd = shared_memory()
    try:
        mine, theirs = SharedLease(fd, SystemClock()), SharedLease(fd, SystemClock())
    finally:
        os.close(fd)
    assert not theirs.trusted()

    mine.extend(12345678.5)
    assert theirs.deadline == 12345678.5

    mine.extend(SystemClock().monotonic() + 60)
    assert theirs.trusted()

    mine.revoke()
    assert not theirs.trusted()


async def test_a_lease_that_lapsed_for_a_moment_leaves_nobody_waiting(yard: Yard) -> None:
    async def work() -> None:
        # Lapsed and renewed before anyone looks: only what would start just then notices.
        yard.lease.revoke()
        asyncio.get_running_loop().call_soon(
            yard.lease.extend, yard.clock.monotonic() + LEASE.total_seconds()
        )

    yard.handles(work)
    jobs = await yard.enqueue_many("work", 30)

    async with yard.working(slots=1, poll=60.0):
        await yard.come_to(State.COMPLETED, *jobs)


async def test_claims_that_come_after_trust_was_lost_do_not_wait_for_it(yard: Yard) -> None:
    class Distrusted(Faulty):
        """A store whose first claim is answered after the lease can no longer be trusted."""

        async def claim(self, demand: Demand) -> Claimed:
            claimed = await super().claim(demand)
            if claimed.claims and len(self.demands) == 1:
                yard.lease.revoke()
            return claimed

    async def work() -> None: ...

    yard.handles(work)
    job = await yard.enqueue("work")

    async with yard.working(Distrusted(yard.store)):
        await yard.come_to(State.PENDING, job)
        await until(lambda: yard.seen.of(JobsHandedBack))
        yard.lease.extend(yard.clock.monotonic() + 60)
        [done] = await yard.come_to(State.COMPLETED, job)

    assert done.fence == 3


async def test_claims_from_before_a_lapse_that_is_past_do_not_start(yard: Yard) -> None:
    class Lapsing(Faulty):
        """A store whose first claim is answered after the lease has lapsed and was renewed."""

        async def claim(self, demand: Demand) -> Claimed:
            claimed = await super().claim(demand)
            if claimed.claims and len(self.demands) == 1:
                lapse(yard)
            return claimed

    fences = []

    async def work(ctx: Context) -> None:
        fences.append(ctx.fence)

    yard.handles(work)
    job = await yard.enqueue("work")

    async with yard.working(Lapsing(yard.store)):
        await yard.come_to(State.COMPLETED, job)

    assert fences == [3]


async def test_claims_that_stood_in_line_during_a_lapse_do_not_start(yard: Yard) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()
    fences = []

    async def work(ctx: Context) -> None:
        fences.append(ctx.fence)
        begun.set()
        await go_on.wait()
        if len(fences) == 1:
            lapse(yard)

    yard.handles(work)
    first = await yard.enqueue("work")
    async with yard.working(slots=1) as worker:
        await begun.wait()
        next(iter(worker._ways.values())).line.pace = 1000.0
        second = await yard.enqueue("work")
        worker.ring()
        await until(lambda: worker._claimer.held == 1)

        go_on.set()
        await yard.come_to(State.COMPLETED, first, second)

    assert fences == [1, 3]


def lapse(yard: Yard) -> None:
    """Have the lease lapse, and be renewed before the worker comes to look."""
    yard.lease.revoke()
    yard.lease.extend(yard.clock.monotonic() + LEASE.total_seconds())
