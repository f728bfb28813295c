"""A SQLite store with a clock that the test owns."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

from windlass.clock import Clock, SystemChance
from windlass.core.claim import Claim
from windlass.core.job import JobId, Lane, NewJob, NodeId, WorkerId
from windlass.store import migrate
from windlass.store.migrate_sqlite import SqliteMigrator
from windlass.store.records import Demand, NodeRecord, WorkerRecord
from windlass.store.sql_store import SqlStore
from windlass.store.sqlite import SqliteDatabase

LEASE = timedelta(seconds=15)


class OwnClock:
    """Stands still until the test advances it."""

    def __init__(self) -> None:
        self.seconds = 1_700_000_000.0

    def now_us(self) -> int:
        """Microseconds since 1970."""
        return round(self.seconds * 1e6)

    def monotonic(self) -> float:
        """The same instant, in seconds."""
        return self.seconds

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.seconds += seconds


@asynccontextmanager
async def embedded_store(path: Path, clock: Clock) -> AsyncIterator[SqlStore]:
    """A migrated store in a file."""
    database = SqliteDatabase(path, clock=clock, chance=SystemChance())
    await migrate.up(SqliteMigrator(database))
    store = SqlStore(database, clock)
    try:
        yield store
    finally:
        await store.close()


class Fleet:
    """Short words for a store's users: nodes, workers, jobs."""

    def __init__(self, store: SqlStore) -> None:
        self.store = store
        self._chance = SystemChance()

    async def node(self) -> NodeId:
        """A node with a fresh lease."""
        node = NodeId(self._chance.token())
        await self.store.join(NodeRecord(id=node, host="here", pid=1, version="0"), LEASE)
        return node

    async def worker(
        self, node: NodeId, *types: str, alone: bool = False, pid: int = 1
    ) -> WorkerId:
        """A worker that knows these types; with a `pid` of its own it has a supervisor."""
        worker = WorkerId(self._chance.token())
        record = WorkerRecord(
            id=worker,
            node=node,
            pid=pid,
            slots=10,
            threads=4,
            types=types,
            queues=None,
            alone=alone,
        )
        await self.store.enlist(record)
        return worker

    async def job(self, type_: str = "mail", delay: float | None = None) -> JobId:
        """A job of the queue `default`."""
        later = None if delay is None else timedelta(seconds=delay)
        job = NewJob(id=self._chance.job_id(), type=type_, payload="{}", delay=later)
        await self.store.enqueue([job])
        return job.id

    async def claim(
        self, node: NodeId, worker: WorkerId, *types: str, lane: Lane = Lane.OPEN
    ) -> list[Claim]:
        """Whatever the worker can get."""
        demand = Demand(node=node, worker=worker, lane=lane, limit=100, types=types)
        return (await self.store.claim(demand)).claims
