"""How fast a worker gets through plain functions, which run in threads."""

from __future__ import annotations

from collections.abc import AsyncIterator

from benchmarks.draining import drain
from benchmarks.figure import Bound, Dialect, Figure
from benchmarks.jobs import load
from benchmarks.measure import Bench, Measure, Sample


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """A quarter of the jobs of a drain: each costs more."""
    jobs = bench.scale.jobs // 4
    async with bench.fresh() as site:
        bench.say(f"loading {jobs:,} jobs")
        async with site.open() as database:
            await load(database, jobs, plain=True)
        site.settle_down()
        drained = await drain(site, jobs, bench.scale.processes, bench.say)
    yield Sample("drain, plain handlers", drained.rate)


MEASURE = Measure(
    name="drain_plain",
    figures=(
        Figure(
            name="drain, plain handlers",
            unit="jobs/s",
            asked=dict.fromkeys(Dialect, Bound(12_000)),
        ),
    ),
    take=take,
)
