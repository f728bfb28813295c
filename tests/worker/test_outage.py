"""What a worker does when the store is away, loses an answer, or will not have a row."""

import asyncio

from tests.waiting import until
from tests.worker.faults import Faulty
from tests.worker.yard import Yard
from windlass.core.claim import Claim
from windlass.core.errors import StoreAway
from windlass.core.job import State, WorkerId
from windlass.executors.context import Context
from windlass.observe.events import AttemptsSettled, ChoreFailed, ClaimsLost, JobsHandedBack
from windlass.store.base import Store
from windlass.store.records import Claimed, Demand


class Late(Faulty):
    """A store whose line is cut under the first claim, which waits there until a test grants it."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.looks = 0
        self._waiting: Demand | None = None

    async def claim(self, demand: Demand) -> Claimed:
        """Lose the first one; until that is granted there is nothing to be had."""
        if not self.demands:
            self.demands.append(demand)
            self._waiting = demand
            raise StoreAway("the line is cut", ambiguous=True)
        return Claimed([], 0) if self._waiting else await super().claim(demand)

    async def held(self, worker: WorkerId) -> list[Claim]:
        """What the worker is believed to hold."""
        held = await self._store.held(worker)
        self.looks += 1
        return held

    async def grant(self) -> int:
        """Get to the first claim at last; answer with how many jobs it takes."""
        assert self._waiting is not None
        claimed = await self._store.claim(self._waiting)
        self._waiting = None
        return len(claimed.claims)


async def test_claims_whose_answer_was_lost_are_taken_on(any_yard: Yard) -> None:
    async def work() -> None: ...

    any_yard.handles(work)
    jobs = await any_yard.enqueue_many("work", 10)
    store = Faulty(any_yard.store)
    store.lose_claims = 1

    async with any_yard.working(store):
        finished = await any_yard.come_to(State.COMPLETED, *jobs)

    assert any_yard.seen.of(JobsHandedBack) == []
    assert {(job.attempts, job.fence) for job in finished} == {(1, 1)}


async def test_claims_of_threads_whose_answer_was_lost_are_handed_back(any_yard: Yard) -> None:
    async def work() -> None: ...

    any_yard.handles(work)
    job = await any_yard.enqueue("work", threads=2)
    store = Faulty(any_yard.store)
    store.lose_claims = 1

    async with any_yard.working(store):
        [finished] = await any_yard.come_to(State.COMPLETED, job)

    [back] = any_yard.seen.of(JobsHandedBack)
    assert back.jobs == [job]
    assert finished.attempts == 1


async def test_claims_that_are_granted_after_the_line_was_cut_are_taken_on(
    any_yard: Yard,
) -> None:
    async def work() -> None: ...

    any_yard.handles(work)
    jobs = await any_yard.enqueue_many("work", 10)
    store = Late(any_yard.store)

    async with any_yard.working(store):
        await until(lambda: store.looks >= 1)
        granted = await store.grant()
        finished = await any_yard.come_to(State.COMPLETED, *jobs)

    assert granted == 10
    assert {job.attempts for job in finished} == {1}


async def test_a_worker_that_leaves_hands_back_what_was_granted_unheard(yard: Yard) -> None:
    async def work() -> None: ...

    yard.handles(work)
    jobs = await yard.enqueue_many("work", 3)
    store = Late(yard.store)

    async with yard.working(store):
        await until(lambda: store.looks >= 1)
        await store.grant()

    assert {await yard.state(job) for job in jobs} == {State.PENDING}


async def test_claims_that_run_are_not_taken_for_lost_ones(yard: Yard) -> None:
    begun: list[str] = []
    go_on = asyncio.Event()

    async def work(ctx: Context) -> None:
        begun.append(ctx.id)
        await go_on.wait()

    yard.handles(work)
    job = await yard.enqueue("work")
    store = Faulty(yard.store)

    async with yard.working(store) as worker:
        await until(lambda: begun)
        store.lose_claims = 1
        lost = await yard.enqueue("work")
        worker.ring()
        await until(lambda: len(begun) == 2)
        go_on.set()
        await yard.come_to(State.COMPLETED, job, lost)

    assert begun == [job, lost]
    assert (await yard.job(job)).fence == 1


async def test_a_settlement_whose_answer_was_lost_is_sent_again(any_yard: Yard) -> None:
    async def work() -> None: ...

    any_yard.handles(work)
    jobs = await any_yard.enqueue_many("work", 10)
    store = Faulty(any_yard.store)
    store.lose_settlements = 2

    async with any_yard.working(store):
        await any_yard.come_to(State.COMPLETED, *jobs)
        await until(lambda: any_yard.settled() == 10)

    assert any_yard.seen.of(ClaimsLost) == []


async def test_work_goes_on_after_an_outage(yard: Yard) -> None:
    ran = 0

    async def work() -> None:
        nonlocal ran
        ran += 1

    yard.handles(work)
    jobs = await yard.enqueue_many("work", 2_000)
    store = Faulty(yard.store)

    async with yard.working(store):
        await until(lambda: ran > 200)
        store.away = True
        await until(lambda: len(yard.seen.of(ChoreFailed)) > 3)
        store.away = False
        await yard.come_to(State.COMPLETED, *jobs)

    assert ran >= 2_000


async def test_a_stale_settlement_is_refused_and_counted(any_yard: Yard) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        await go_on.wait()

    any_yard.handles(work)
    job = await any_yard.enqueue("work")
    async with any_yard.working() as worker:
        await begun.wait()
        [claim] = await any_yard.store.held(worker.id)
        await any_yard.reclaim_from(worker)
        go_on.set()
        await until(lambda: any_yard.seen.of(ClaimsLost))

    [lost] = any_yard.seen.of(ClaimsLost)
    assert list(lost.jobs) == [job]
    assert any(not event.counts for event in any_yard.seen.of(AttemptsSettled))
    assert (await any_yard.job(job)).fence > claim.fence


async def test_a_row_that_the_store_will_not_have_fails_alone(yard: Yard) -> None:
    async def work(number: int) -> int:
        return number

    yard.handles(work)
    jobs = [await yard.enqueue("work", f'{{"number": {number}}}') for number in range(50)]
    store = Faulty(yard.store)
    store.unfit = lambda one: one.result == "13"

    async with yard.working(store):
        await until(lambda: yard.settled() == 50)

    failed = await yard.job(jobs[13])
    assert (failed.state, failed.reason) == (State.FAILED, "final")
    assert failed.error == "its end could not be stored: ValueError: this does not fit a column"
    await yard.come_to(State.COMPLETED, *jobs[:13], *jobs[14:])


async def test_a_row_that_cannot_even_fail_blocks_nobody(yard: Yard) -> None:
    async def work(number: int) -> int:
        return number

    yard.handles(work)
    jobs = [await yard.enqueue("work", f'{{"number": {number}}}') for number in range(5)]
    store = Faulty(yard.store)
    store.unfit = lambda one: one.id == jobs[2]

    async with yard.working(store):
        await yard.come_to(State.COMPLETED, *jobs[:2], *jobs[3:])
        await until(lambda: len(yard.seen.of(ChoreFailed)) == 2)

    assert all(jobs[2] in event.error for event in yard.seen.of(ChoreFailed))


async def test_notes_that_the_store_will_not_have_do_not_hurt_the_job(yard: Yard) -> None:
    async def work(ctx: Context) -> None:
        ctx.log("hello")

    yard.handles(work)
    job = await yard.enqueue("work")
    store = Faulty(yard.store)
    store.unfit_notes = True

    async with yard.working(store):
        await yard.come_to(State.COMPLETED, job)

    assert yard.seen.of(ChoreFailed)[0].chore == "notes"


async def test_a_full_backlog_stops_the_claiming(yard: Yard) -> None:
    async def work() -> None: ...

    yard.handles(work)
    await yard.enqueue_many("work", 3_000)
    store = Faulty(yard.store)
    hold = asyncio.Event()
    settle = store.settle

    async def slow(settlements: object) -> object:
        await hold.wait()
        return await settle(settlements)  # type: ignore[arg-type]

    store.settle = slow  # type: ignore[method-assign,assignment]

    async with yard.working(store, slots=10, max_held=100, claim_batch=100) as worker:
        most = worker._claimer._settings.most_open
        await until(lambda: worker._settler.unsettled >= most)
        asked = len(store.demands)
        worker.ring()
        await asyncio.sleep(0.05)
        assert worker._settler.unsettled == most
        assert len(store.demands) == asked
        hold.set()
        await until(lambda: yard.settled() == 3_000)
