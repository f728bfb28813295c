"""A yard to try workers in: a real store, a node with a lease, and short words for tests."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.recorder import Recorder
from tests.waiting import until
from windlass.clock import SystemChance, SystemClock
from windlass.config import load
from windlass.core.backoff import DEFAULT_BACKOFF
from windlass.core.job import Job, JobId, Lane, NewJob, NodeId, State, WorkerId
from windlass.core.outcome import Crashed
from windlass.core.settle import Settlement, settle
from windlass.executors.base import Registry
from windlass.executors.handlers import Declaration, from_function
from windlass.observe.events import AttemptsSettled
from windlass.store.base import Store
from windlass.store.records import (
    Demand,
    NodeRecord,
    Orphan,
    Standing,
    WorkerRecord,
)
from windlass.store.sql_store import SqlStore
from windlass.wiring import Storehouse
from windlass.worker.claimer import Peek
from windlass.worker.hired import record_of
from windlass.worker.lease import LocalLease
from windlass.worker.pools import SystemPools
from windlass.worker.settings import WorkerSettings
from windlass.worker.settler import Will
from windlass.worker.worker import Worker

LEASE = timedelta(minutes=10)
AGING_US = 60_000_000


def standing(suspects: int = 0, aging_us: int = AGING_US, widest: int = 4) -> Standing:
    """How the fleet stands, as a renewal tells."""
    return Standing(known=True, now_us=0, aging_us=aging_us, widest=widest, suspects=suspects)


class Yard:
    """One store with one node, on which workers come and go."""

    def __init__(self, house: Storehouse, store: SqlStore) -> None:
        self.store: Store = store
        self.clock = SystemClock()
        self.chance = SystemChance()
        self.registry = Registry()
        self.seen = Recorder()
        self.lease = LocalLease(self.clock)
        self.node = NodeId(self.chance.token())
        self.app: str | None = None
        self.will: Will | None = None
        self.effects = house.effects(store)

    async def join(self) -> None:
        """Hold a lease for as long as any test takes."""
        record = NodeRecord(id=self.node, host="here", pid=os.getpid(), version="0")
        await self.store.join(record, LEASE)
        self.lease.extend(self.clock.monotonic() + LEASE.total_seconds())

    def handles(self, handler: Callable[..., Any], **declared: Any) -> None:
        """Know a handler, by its name."""
        self.registry.add(from_function(handler, Declaration(**declared)))  # type: ignore[typeddict-item]

    async def enqueue(self, type_: str, payload: str = "{}", **rest: Any) -> JobId:
        """Put one job in line."""
        job = NewJob(id=self.chance.job_id(), type=type_, payload=payload, **rest)
        await self.store.enqueue([job])
        return job.id

    async def enqueue_many(self, type_: str, count: int, **rest: Any) -> list[JobId]:
        """Put equal jobs in line."""
        jobs = [
            NewJob(id=self.chance.job_id(), type=type_, payload="{}", **rest) for _ in range(count)
        ]
        await self.store.enqueue(jobs)
        return [job.id for job in jobs]

    async def job(self, job_id: JobId) -> Job:
        """One job, which must be there."""
        job = await self.store.job(job_id)
        assert job is not None
        return job

    async def state(self, job_id: JobId) -> State:
        """Where the job is in its life."""
        return (await self.job(job_id)).state

    async def come_to(self, state: State, *jobs: JobId, at_most: float = 30.0) -> list[Job]:
        """Wait until the jobs have come to this state."""

        async def there() -> bool:
            return all([await self.state(job) is state for job in jobs])

        await until(there, at_most)
        return [await self.job(job) for job in jobs]

    async def suspect(self, type_: str) -> JobId:
        """A job that was running when its worker died in company."""
        job = await self.enqueue(type_)
        dead = await self.hire()
        demand = Demand(node=self.node, worker=dead.id, lane=Lane.OPEN, limit=1, types=[type_])
        assert [claim.id for claim in (await self.store.claim(demand)).claims] == [job]
        await self.reclaim_from(dead)
        return job

    async def reclaim_from(self, worker: Worker) -> None:
        """Take its jobs from a worker, as if it were dead."""

        def decide(orphan: Orphan) -> Settlement:
            return settle(orphan.claim, Crashed(alone=False), backoff=DEFAULT_BACKOFF, chance=0.0)

        await self.store.dismiss([worker.id])
        reclaimed = await self.store.reclaim(decide, 500)
        assert reclaimed.count

    def settled(self) -> int:
        """How many attempts were settled."""
        return sum(sum(event.counts.values()) for event in self.seen.of(AttemptsSettled))

    async def hire(
        self,
        store: Store | None = None,
        peek: Peek | None = None,
        after: Worker | None = None,
        **settings: Any,
    ) -> Worker:
        """A worker that is enlisted and does not run yet, perhaps in the place of another."""
        given = WorkerSettings(**settings)
        worker = self.worker(WorkerId(self.chance.token()), given, store, peek, after)
        await self.store.enlist(self.record(worker, given))
        return worker

    def record(self, worker: Worker, settings: WorkerSettings) -> WorkerRecord:
        """What the fleet shall know of a worker."""
        return record_of(worker, self.node, settings, self.registry.types())

    def worker(
        self,
        id_: WorkerId,
        given: WorkerSettings,
        store: Store | None = None,
        peek: Peek | None = None,
        after: Worker | None = None,
    ) -> Worker:
        """A worker that nobody knows of yet."""
        return Worker(
            id=id_,
            node=self.node,
            settings=given,
            store=store or self.store,
            effects=self.effects,
            registry=self.registry,
            lease=self.lease,
            clock=self.clock,
            chance=self.chance,
            observer=self.seen,
            pools=SystemPools(self.app),
            peek=peek,
            slots=None if after is None else after._slots,
            will=self.will,
        )

    @asynccontextmanager
    async def working(self, store: Store | None = None, **settings: Any) -> AsyncIterator[Worker]:
        """A worker that runs while the block does, and is stopped at its end."""
        worker = await self.hire(store, **settings)
        async with running(worker):
            yield worker


@asynccontextmanager
async def running(worker: Worker) -> AsyncIterator[asyncio.Task[None]]:
    """Run a worker while the block does."""
    async with asyncio.TaskGroup() as group:
        task = group.create_task(worker.run())
        try:
            yield task
        finally:
            worker.stop(drain=False)


@asynccontextmanager
async def open_yard(url: str, **settings: object) -> AsyncIterator[Yard]:
    """A yard at this address."""
    house = Storehouse(load({}, Path.cwd(), {"store": url, **settings}))
    store = await house.store()
    yard = Yard(house, store)
    await yard.join()
    try:
        yield yard
    finally:
        await yard.effects.close()
        await store.close()
