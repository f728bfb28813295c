"""How long a claim takes out of a million waiting jobs, of which not all may be taken."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from statistics import median

from benchmarks.figure import Bound, Dialect, Figure
from benchmarks.measure import Bench, Measure, Sample
from benchmarks.sites import Site
from windlass.clock import SystemChance, SystemClock
from windlass.core.job import Lane, NodeId, WorkerId
from windlass.store.records import Demand, NodeRecord, WorkerRecord
from windlass.store.sql_store import SqlStore

CLAIMS = 11
CHUNK = 100_000
LEASE = timedelta(hours=1)
# One queue in twenty is paused, and nothing is parked yet: the worst moment for a claim.
PAUSED = [f"queue-{n}" for n in range(0, 1000, 20)]
NAMED = [f"queue-{n}" for n in range(1, 51)]


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """With statistics of an empty table, and with true ones."""
    async with bench.fresh() as site:
        site.ask("analyze")
        if site.dialect is Dialect.POSTGRES:
            site.ask("alter table windlass_jobs set (autovacuum_enabled = off)")
        for done in range(0, bench.scale.waiting, CHUNK):
            bench.say(f"{done:,} of {bench.scale.waiting:,} jobs waiting")
            site.ask_file("waiting")
        for statistics in ("stale", "fresh"):
            bench.say(f"{statistics} statistics")
            for name, took in (await claims(site)).items():
                yield Sample(f"{name}, {statistics} statistics", took * 1000)
            site.ask("analyze")


async def claims(site: Site) -> dict[str, float]:
    """Seconds that one claim takes, for each way of claiming."""
    async with site.open() as database:
        store, chance = SqlStore(database, SystemClock()), SystemChance()
        node, worker = NodeId(chance.token()), WorkerId(chance.token())
        await store.join(NodeRecord(id=node, host="bench", pid=1, version="0"), LEASE)
        await store.enlist(
            WorkerRecord(
                id=worker, node=node, pid=1, slots=100, threads=8, types=["nothing"], queues=None
            )
        )
        for queue in PAUSED:
            await store.pause(queue, "bench")

        async def each(lane: Lane, limit: int, queues: Sequence[str] | None = None) -> float:
            demand = Demand(
                node=node,
                worker=worker,
                lane=lane,
                limit=limit,
                types=["nothing"],
                queues=queues,
                free_threads=8,
                widest=8,
            )
            took = []
            for _ in range(CLAIMS):
                before = time.perf_counter()
                claimed = await store.claim(demand)
                took.append(time.perf_counter() - before)
                assert claimed.claims
            return median(took)

        return {
            "claim of 200": await each(Lane.OPEN, 200),
            "claim of 200 in 50 queues": await each(Lane.OPEN, 200, NAMED),
            "claim for 8 threads": await each(Lane.THREADS, 8),
        }


MEASURE = Measure(
    name="claim_million",
    figures=tuple(
        Figure(name=f"{name}, {statistics} statistics", unit="ms", asked=asked)
        for name, asked in (
            ("claim of 200", dict.fromkeys(Dialect, Bound(5, at_most=True))),
            ("claim of 200 in 50 queues", {}),
            ("claim for 8 threads", {}),
        )
        for statistics in ("stale", "fresh")
    ),
    take=take,
    once=True,
)
