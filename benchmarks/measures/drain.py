"""How fast a worker gets through jobs that do nothing, each claimed, run, settled and kept."""

from __future__ import annotations

from collections.abc import AsyncIterator

from benchmarks.draining import drain
from benchmarks.figure import Bound, Dialect, Figure
from benchmarks.jobs import load
from benchmarks.measure import Bench, Measure, Sample


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """Coroutines, on the worker's event loop."""
    jobs = bench.scale.jobs
    async with bench.fresh() as site:
        bench.say(f"loading {jobs:,} jobs")
        async with site.open() as database:
            await load(database, jobs)
        site.settle_down()
        drained = await drain(site, jobs, bench.scale.processes, bench.say)
    yield Sample("drain", drained.rate)
    yield Sample("drain, worker", drained.worker_cpu)
    if site.dialect is Dialect.POSTGRES:
        yield Sample("drain, database", drained.database_cpu)


MEASURE = Measure(
    name="drain",
    figures=(
        Figure(
            name="drain",
            unit="jobs/s",
            asked={Dialect.POSTGRES: Bound(45_000), Dialect.SQLITE: Bound(40_000)},
            base="raw",
            share=Bound(0.55),
        ),
        Figure(name="drain, worker", unit="µs CPU/job"),
        Figure(name="drain, database", unit="µs CPU/job"),
    ),
    take=take,
    needs=("raw",),
)
