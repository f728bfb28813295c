"""A worker that stands by: what it is handed runs once, whether it hears of it or not."""

import asyncio
from datetime import timedelta

import pytest

from tests.waiting import until
from tests.worker.faults import Faulty
from tests.worker.yard import Yard
from windlass.config import Settings
from windlass.core.claim import Claim
from windlass.core.herald import Herald
from windlass.core.job import JobId, Lane, NewJob, State, WorkerId
from windlass.observe.events import JobsHandedBack
from windlass.store import handing
from windlass.store.base import Store
from windlass.store.records import Claimed, Demand, Standing
from windlass.store.sql_store import SqlStore
from windlass.wiring import Windlass
from windlass.worker.worker import Worker


class Watched(Faulty):
    """A store in which nothing is found by a claim, and that tells who stands by."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.looked = asyncio.Event()  # at what the worker holds
        self.go_on = asyncio.Event()
        self.go_on.set()

    async def claim(self, demand: Demand) -> Claimed:
        """Find nothing: what runs was handed over."""
        del demand
        return Claimed([], 0)

    async def held(self, worker: WorkerId) -> list[Claim]:
        """What the worker holds, told when the test lets it be told."""
        held = await self._store.held(worker)
        self.looked.set()
        await self.go_on.wait()
        return held


async def finds_nothing(_store: Store, _demand: Demand) -> Claimed:
    return Claimed([], 0)


async def stands_by(yard: Yard, worker: Worker) -> None:
    await until(lambda: yard.store.stands_by(worker.id))


async def come(yard: Yard, type_: str) -> JobId:
    """A job that comes alone, of which nobody is told."""
    job = NewJob(id=yard.chance.job_id(), type=type_, payload="{}")
    await yard.store.enqueue([job], Herald())
    return job.id


async def news(yard: Yard, worker: Worker, number: int) -> str:
    """What the worker should have been told of the job it was handed."""
    [held] = await yard.store.held(worker.id)
    job = NewJob(id=held.id, type=held.type, payload=held.payload)
    told = handing.told(job, None)
    assert told is not None
    return handing.news(worker.id, number, held.rank, told)


async def test_a_worker_begins_what_it_was_handed_when_it_hears_of_it(any_yard: Yard) -> None:
    ran: list[int] = []

    async def work() -> None:
        ran.append(1)

    any_yard.handles(work)
    async with any_yard.working(Watched(any_yard.store), poll=3600) as worker:
        worker.hear(near=True)
        await stands_by(any_yard, worker)
        job = await come(any_yard, "work")
        told = await news(any_yard, worker, 1)

        worker.hand(told)
        worker.hand(told)
        await any_yard.come_to(State.COMPLETED, job)

        assert ran == [1]
        await stands_by(any_yard, worker)


async def test_a_worker_finds_what_it_was_handed_and_did_not_hear_of(any_yard: Yard) -> None:
    async def work() -> None: ...

    any_yard.handles(work)
    async with any_yard.working(Watched(any_yard.store), poll=0.1) as worker:
        worker.hear(near=True)
        await stands_by(any_yard, worker)
        job = await come(any_yard, "work")

        [finished] = await any_yard.come_to(State.COMPLETED, job)

    assert (finished.attempts, finished.fence) == (1, 1)


async def test_news_that_come_after_the_store_was_asked_are_not_believed(any_yard: Yard) -> None:
    ran: list[int] = []

    async def work() -> None:
        ran.append(1)

    any_yard.handles(work)
    store = Watched(any_yard.store)
    store.go_on.clear()
    async with any_yard.working(store, poll=0.1) as worker:
        worker.hear(near=True)
        await stands_by(any_yard, worker)
        job = await come(any_yard, "work")
        told = await news(any_yard, worker, 1)
        await store.looked.wait()

        worker.hand(told)
        store.go_on.set()
        await any_yard.come_to(State.COMPLETED, job)
        worker.hand(told)

    assert ran == [1]


async def test_who_cannot_hear_any_more_stands_down(any_yard: Yard) -> None:
    async def work() -> None: ...

    any_yard.handles(work)
    async with any_yard.working(Watched(any_yard.store), poll=3600) as worker:
        worker.hear(near=True)
        await stands_by(any_yard, worker)
        job = await come(any_yard, "work")

        worker.hear(near=False)

        await any_yard.come_to(State.COMPLETED, job)
        assert not await any_yard.store.stands_by(worker.id)


async def test_who_has_no_slot_left_does_not_stand_by(any_yard: Yard) -> None:
    go_on = asyncio.Event()

    async def work() -> None:
        await go_on.wait()

    any_yard.handles(work)
    async with any_yard.working(slots=1, poll=3600) as worker:
        worker.hear(near=True)
        await stands_by(any_yard, worker)
        job = await any_yard.enqueue("work")
        worker.ring()

        async def stood_down() -> bool:
            return not await any_yard.store.stands_by(worker.id)

        await until(stood_down)
        go_on.set()
        await any_yard.come_to(State.COMPLETED, job)
        await stands_by(any_yard, worker)


async def test_who_leaves_hands_back_what_it_was_handed_and_did_not_hear_of(
    any_yard: Yard,
) -> None:
    async def work() -> None: ...

    any_yard.handles(work)
    async with any_yard.working(Watched(any_yard.store), poll=3600) as worker:
        worker.hear(near=True)
        await stands_by(any_yard, worker)
        job = await come(any_yard, "work")

    assert await any_yard.state(job) is State.PENDING
    assert any_yard.seen.of(JobsHandedBack)
    assert not await any_yard.store.stands_by(worker.id)


async def test_a_lone_job_reaches_an_idle_worker_without_a_claim(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SqlStore, "claim", finds_nothing)
    app = Windlass(settings=Settings(store=store_url, poll=timedelta(hours=1)))

    @app.job
    async def work() -> None: ...

    async with app, app.worker():
        store = (await app.home()).store
        [worker] = (await store.fleet()).workers
        await until(lambda: store.stands_by(worker.record.id))

        job = await work.enqueue()
        finished = await app.wait(job.id)

    assert (finished.state, finished.fence) == (State.COMPLETED, 1)


class Shy(Watched):
    """A store that takes note whether a worker stands by while it claims suspects."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.stood_by: list[bool] = []

    async def claim(self, demand: Demand) -> Claimed:
        """Find nothing."""
        if demand.lane is Lane.ALONE:
            self.stood_by.append(await self._store.stands_by(demand.worker))
        return Claimed([], 0)


async def test_nobody_stands_by_while_a_suspect_is_on_its_way(any_yard: Yard) -> None:
    async def work() -> None:
        """Nothing to do."""

    any_yard.handles(work)
    store = Shy(any_yard.store)
    async with any_yard.working(store, poll=3600, takes_suspects=True) as worker:
        worker.hear(near=True)
        await stands_by(any_yard, worker)
        worker.learn(Standing(known=True, now_us=1, aging_us=60_000_000, suspects=1))
        await until(lambda: bool(store.stood_by))
        await stands_by(any_yard, worker)

    assert store.stood_by == [False]
