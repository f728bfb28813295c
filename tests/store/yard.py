"""Short words for what the store's users do, and a clock that tests own on either database."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg

from windlass.clock import SystemChance, SystemClock
from windlass.core.backoff import Backoff
from windlass.core.claim import Claim
from windlass.core.job import Job, JobId, Lane, NewJob, NodeId, State, WorkerId
from windlass.core.outcome import Cancelled, Crashed, Done, Ending, Failed
from windlass.core.settle import Settlement, settle
from windlass.store.records import Demand, Gone, NodeRecord, Orphan, WorkerRecord
from windlass.store.sql_store import SqlStore

LEASE = timedelta(seconds=15)
# No jitter, so that a test can say when a retry is due.
BACKOFF = Backoff(jitter=0.0)

OWN_CLOCK = """
create table if not exists windlass_test_clock (at timestamptz not null);
delete from windlass_test_clock;
insert into windlass_test_clock values (now());
create or replace function windlass_now() returns timestamptz
    language sql volatile
    as 'select at from public.windlass_test_clock';
"""
# Making a database costs a second on a busy machine, emptying one a few milliseconds.
EMPTY = """
delete from windlass_jobs; delete from windlass_history; delete from windlass_attempts;
delete from windlass_lines; delete from windlass_progress; delete from windlass_files;
delete from windlass_keys; delete from windlass_rollups; delete from windlass_totals;
delete from windlass_queues; delete from windlass_standby;
delete from windlass_nodes; delete from windlass_types; delete from windlass_counts;
update windlass_settings set aging_us = 60000000;
update windlass_census set counted_at = 'epoch', cost_us = 0, lines = '[]';
delete from windlass_locks; delete from windlass_users; delete from windlass_revoked;
delete from windlass_trends; delete from windlass_replays; update windlass_pulse set document = '';
"""


class OwnClock:
    """Stands still until the test advances it."""

    def __init__(self) -> None:
        # Close to the real time, since ids carry it and history is parted by it.
        self._now_us = SystemClock().now_us() // 1_000_000 * 1_000_000

    def now_us(self) -> int:
        """Microseconds since 1970."""
        return self._now_us

    def monotonic(self) -> float:
        """The same instant, in seconds."""
        return self._now_us / 1_000_000

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._now_us += round(seconds * 1_000_000)


class PostgresClock(OwnClock):
    """The same for PostgreSQL, whose `windlass_now()` then reads a table; empties the others."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._connection = psycopg.connect(url, autocommit=True)
        self._connection.execute(OWN_CLOCK)
        self._connection.execute(EMPTY)
        self.advance(0)

    def advance(self, seconds: float) -> None:
        """Let time pass, here and there."""
        super().advance(seconds)
        self._connection.execute(
            "update windlass_test_clock"
            " set at = timestamptz 'epoch' + %s::bigint * interval '1 microsecond'",
            [self._now_us],
        )

    def close(self) -> None:
        """Let go of the database."""
        self._connection.close()


@dataclass
class Worker:
    """A worker with the node it belongs to."""

    id: WorkerId
    node: NodeId
    types: Sequence[str]
    queues: Sequence[str] | None
    threads: int


class Yard:
    """A store and whoever uses it."""

    def __init__(self, store: SqlStore, clock: OwnClock) -> None:
        self.store = store
        self.clock = clock
        self.chance = SystemChance()
        self._made = 0

    async def node(self, lease: timedelta = LEASE) -> NodeId:
        """A node with a fresh lease."""
        node = NodeId(self.chance.token())
        await self.store.join(NodeRecord(id=node, host="here", pid=1, version="1"), lease)
        return node

    async def worker(
        self,
        *types: str,
        node: NodeId | None = None,
        queues: Sequence[str] | None = None,
        threads: int = 4,
        alone: bool = False,
    ) -> Worker:
        """A worker that knows these types, `mail` if none is named."""
        worker = Worker(
            WorkerId(self.chance.token()),
            node or await self.node(),
            types or ("mail",),
            queues,
            threads,
        )
        await self.store.enlist(
            WorkerRecord(
                id=worker.id,
                node=worker.node,
                pid=2,
                slots=10,
                threads=threads,
                types=worker.types,
                queues=queues,
                alone=alone,
            )
        )
        return worker

    def id(self, ahead: timedelta = timedelta(0)) -> JobId:
        """A new UUIDv7 by the test's clock, or by one that runs ahead."""
        self._made += 1
        milliseconds = (self.clock.now_us() + ahead // timedelta(microseconds=1)) // 1000
        bits = milliseconds << 80 | 7 << 76 | 2 << 62 | self._made
        return JobId(str(UUID(int=bits)))

    def new(self, **given: Any) -> NewJob:
        """A job that was not enqueued yet."""
        return NewJob(**{"id": self.id(), "type": "mail", "payload": "{}", **given})

    async def enqueue(self, count: int = 1, **given: Any) -> list[JobId]:
        """Jobs like this one."""
        jobs = [self.new(**given) for _ in range(count)]
        await self.store.enqueue(jobs)
        return [job.id for job in jobs]

    async def claim(
        self, worker: Worker, limit: int = 10, *, lane: Lane = Lane.OPEN, **given: Any
    ) -> list[Claim]:
        """What the worker gets."""
        demand = Demand(
            **{
                "node": worker.node,
                "worker": worker.id,
                "lane": lane,
                "limit": limit,
                "types": worker.types,
                "queues": worker.queues,
                "free_threads": worker.threads,
                "widest": worker.threads,
                **given,
            }
        )
        return (await self.store.claim(demand)).claims

    async def running(self, **given: Any) -> tuple[Worker, Claim]:
        """A worker and the one job it runs."""
        worker = await self.worker(given.get("type", "mail"))
        [job] = await self.enqueue(**given)
        lane = Lane.THREADS if given.get("threads") else Lane.OPEN
        claims = await self.claim(worker, lane=lane)
        return worker, next(claim for claim in claims if claim.id == job)

    async def finished(self, ending: Ending | None = None, **given: Any) -> JobId:
        """A job whose one attempt ended so."""
        _, claim = await self.running(max_attempts=1, **given)
        refused = await self.settle(claim, ending or Done())
        assert refused == []
        return claim.id

    async def settle(self, claim: Claim, ending: Ending) -> list[Settlement]:
        """End the attempt; answer with what was refused."""
        return await self.store.settle([self.end(claim, ending)])

    def end(self, claim: Claim, ending: Ending, ran: float = 0.0) -> Settlement:
        """The settlement of an attempt that ended just now."""
        now = self.clock.monotonic()
        return settle(claim, ending, backoff=BACKOFF, chance=0.0, started=now - ran, ended=now)

    async def job(self, job_id: JobId) -> Job:
        """A job that must be there."""
        found = await self.store.job(job_id)
        assert found is not None
        return found

    async def state(self, job_id: JobId) -> State:
        """Where the job is in its life."""
        return (await self.job(job_id)).state

    async def reclaim(self, *, lapsed: bool = True) -> int:
        """Settle what dead workers left behind, as the chore does."""
        lapsed_by = await self.store.lapsed() if lapsed else None
        answer = await self.store.reclaim(self.decide, 500, Gone(lapsed_by))
        return answer.count

    def decide(self, orphan: Orphan) -> Settlement:
        """What becomes of an orphan."""
        ending = Cancelled() if orphan.asked else Crashed(alone=orphan.alone)
        settlement = settle(orphan.claim, ending, backoff=BACKOFF, chance=0.0)
        return settlement._replace(fence_after=orphan.claim.fence + 1)

    async def counted(self) -> dict[State, int]:
        """The states that have jobs."""
        counts = await self.store.counts()
        return {state: count for state, count in counts.states.items() if count}


FAILED = Failed("it broke", trace="line 1")
