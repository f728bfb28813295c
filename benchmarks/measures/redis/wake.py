"""How many claims a job costs when many workers idle, and how soon one of them has it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from statistics import quantiles

from benchmarks.figure import Bound, Dialect, Figure
from benchmarks.fleet import fleet
from benchmarks.jobs import Jobs
from benchmarks.measure import Bench, Measure, Sample
from benchmarks.measures.pickup import APART, begun, enqueue, summed_up
from benchmarks.sites import Site
from benchmarks.statements import CLAIMS, count_statements, statements
from benchmarks.steps import STEPS, traced
from tests.services.redis import RedisServer

WORKERS = 8
JOBS = 1_000
NAME, PLAIN = "woken by Redis", "woken by NOTIFY"
THERE = "select count(*) from windlass_workers where not alone"
WITHIN = 60.0
# Until everybody has joined and waits.
IDLE = 2.0


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """Eight workers, a node each; jobs come one by one."""
    with RedisServer() as redis:
        for name, place in ((PLAIN, None), (NAME, redis.url)):
            async with bench.fresh() as site:
                async for sample in woken(bench, site, name, place):
                    yield sample


async def woken(bench: Bench, site: Site, name: str, redis: str | None) -> AsyncIterator[Sample]:
    """Claims for each job, and milliseconds until its handler began."""
    count_statements(site)
    jobs = Jobs(site.url, redis)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(jobs.app)
        bench.say(f"{name}: {WORKERS} workers start")
        for _ in range(WORKERS):
            await stack.enter_async_context(fleet(site, redis=redis, traced=True))
        await joined(site)
        await enqueue(jobs, WORKERS, apart=0.05)
        await begun(site, WORKERS)
        bench.say(f"{name}: {JOBS:,} jobs, one by one")
        site.ask("delete from windlass_history")
        asked = statements(site, CLAIMS)
        await enqueue(jobs, JOBS, apart=0.0)
        await begun(site, JOBS)
        claims = statements(site, CLAIMS) - asked
        assert claims > 0
        yield Sample(f"claims per job, {name}", claims / JOBS)
        bench.say(f"{name}: {bench.scale.picks} jobs, now and then")
        site.ask("delete from windlass_history")
        took = await traced(jobs, site, bench.scale.picks, APART)
    for sample in (*summed_up(name, [sum(steps) for steps in took]), *in_steps(name, took)):
        yield sample


def in_steps(name: str, took: list[list[float]]) -> Iterator[Sample]:
    """What each step takes, from the one before it."""
    for step, each in zip(STEPS, zip(*took, strict=True), strict=True):
        cut = quantiles(each, n=100, method="inclusive")
        yield Sample(f"{name}: {step}, p50", cut[49])
        yield Sample(f"{name}: {step}, p99", cut[98])


async def joined(site: Site) -> None:
    """Wait until all workers are there, and have nothing to do."""
    async with asyncio.timeout(WITHIN):
        while site.ask(THERE) != [(WORKERS,)]:  # noqa: ASYNC110 — only the database knows
            await asyncio.sleep(0.2)
    await asyncio.sleep(IDLE)


def _figures(name: str, claims: Bound | None = None, p99: Bound | None = None) -> list[Figure]:
    return [
        Figure(
            name=f"claims per job, {name}",
            unit="claims",
            asked={} if claims is None else {Dialect.POSTGRES: claims},
        ),
        Figure(name=f"pickup {name}, p50", unit="ms"),
        Figure(
            name=f"pickup {name}, p99",
            unit="ms",
            asked={} if p99 is None else {Dialect.POSTGRES: p99},
        ),
        *(Figure(name=f"{name}: {step}, {p}", unit="ms") for step in STEPS for p in ("p50", "p99")),
    ]


MEASURE = Measure(
    name="redis_wake",
    figures=(
        *_figures(PLAIN),
        *_figures(NAME, claims=Bound(1.2, at_most=True), p99=Bound(5, at_most=True)),
    ),
    take=take,
    dialects=frozenset({Dialect.POSTGRES}),
)
