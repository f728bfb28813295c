"""How long it takes from calling enqueue to the first line of the handler of an idle worker."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from statistics import quantiles

from benchmarks.figure import Bound, Dialect, Figure
from benchmarks.fleet import fleet
from benchmarks.jobs import Jobs
from benchmarks.measure import Bench, Measure, Sample
from benchmarks.sites import Site

APART = 0.02  # seconds between two jobs
WARM_UP = 20
WITHIN = 30.0


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """With the worker in the caller's own process, then in processes of its own."""
    async with bench.fresh() as site:
        jobs = Jobs(site.url)
        async with jobs.app as app, app.worker():
            for sample in summed_up("in one process", await picks(bench, site, jobs)):
                yield sample
    async with bench.fresh() as site:
        jobs = Jobs(site.url)
        async with jobs.app, fleet(site):
            for sample in summed_up("across processes", await picks(bench, site, jobs)):
                yield sample


async def picks(bench: Bench, site: Site, jobs: Jobs) -> list[float]:
    """Milliseconds until each job began, in no order; the first few are not counted."""
    bench.say("warming up")
    await enqueue(jobs, WARM_UP)
    await begun(site, WARM_UP)
    site.ask("delete from windlass_history")
    bench.say(f"{bench.scale.picks} jobs")
    await enqueue(jobs, bench.scale.picks)
    return await begun(site, bench.scale.picks)


async def enqueue(jobs: Jobs, count: int, apart: float = APART) -> None:
    """Put jobs in line one by one, so many seconds apart."""
    for _ in range(count):
        await jobs.stamp.enqueue(at=time.monotonic())
        await asyncio.sleep(apart)


async def begun(site: Site, count: int) -> list[float]:
    """What the jobs said, once all have."""
    async with asyncio.timeout(WITHIN):
        while True:
            found = site.ask("select cast(result as text) from windlass_history")
            if len(found) == count:
                return [float(result) * 1000 for (result,) in found]
            await asyncio.sleep(0.1)


def summed_up(where: str, took: list[float]) -> list[Sample]:
    cut = quantiles(took, n=100, method="inclusive")
    return [Sample(f"pickup {where}, p50", cut[49]), Sample(f"pickup {where}, p99", cut[98])]


def ms(value: float) -> Bound:
    return Bound(value, at_most=True)


MEASURE = Measure(
    name="pickup",
    figures=(
        Figure(
            name="pickup in one process, p50",
            unit="ms",
            asked={Dialect.POSTGRES: ms(2), Dialect.SQLITE: ms(2)},
        ),
        Figure(
            name="pickup in one process, p99",
            unit="ms",
            asked={Dialect.POSTGRES: ms(8)},
        ),
        Figure(
            name="pickup across processes, p50",
            unit="ms",
            asked={Dialect.POSTGRES: ms(2), Dialect.SQLITE: ms(20)},
        ),
        Figure(
            name="pickup across processes, p99",
            unit="ms",
            asked={Dialect.POSTGRES: ms(8)},
        ),
    ),
    take=take,
)
