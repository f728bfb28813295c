"""Whether a worker slows down as finished jobs pile up."""

from __future__ import annotations

from collections.abc import AsyncIterator

from benchmarks.draining import Drained, drain
from benchmarks.figure import Bound, Figure
from benchmarks.filling import finish
from benchmarks.jobs import load
from benchmarks.measure import Bench, Measure, Sample
from benchmarks.sites import Site

ROUNDS = 3


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """Drain beside a full history and beside an empty one, in turns."""
    async with bench.fresh() as full:
        finish(full, bench.scale.finished, bench.say)
        for _ in range(ROUNDS):
            async with bench.fresh() as empty:
                for name, site in (("empty", empty), ("full", full)):
                    drained = await once(bench, site)
                    yield Sample(f"history {name}", drained.rate)
                    yield Sample(f"history {name}, CPU", drained.cpu)


async def once(bench: Bench, site: Site) -> Drained:
    """Fill the line and drain it; history grows by that little."""
    async with site.open() as database:
        await load(database, bench.scale.jobs)
    site.settle_down()
    return await drain(site, bench.scale.jobs, bench.scale.processes, bench.say)


MEASURE = Measure(
    name="history",
    figures=(
        Figure(name="history empty", unit="jobs/s"),
        Figure(name="history full", unit="jobs/s", base="history empty", share=Bound(0.9)),
        Figure(name="history empty, CPU", unit="µs CPU/job"),
        Figure(name="history full, CPU", unit="µs CPU/job", base="history empty, CPU"),
    ),
    take=take,
    once=True,
)
