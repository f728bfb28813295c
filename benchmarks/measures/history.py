"""Whether a worker slows down as finished jobs pile up."""

from __future__ import annotations

from collections.abc import AsyncIterator

from benchmarks.draining import drain
from benchmarks.figure import Bound, Figure
from benchmarks.jobs import load
from benchmarks.measure import Bench, Measure, Sample
from benchmarks.sites import Site

CHUNK = 500_000
ROUNDS = 3


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """Drain beside a full history and beside an empty one, in turns."""
    async with bench.fresh() as empty, bench.fresh() as full:
        for done in range(0, bench.scale.finished, CHUNK):
            bench.say(f"{done:,} of {bench.scale.finished:,} jobs in history")
            full.ask_file("finished")
        for _ in range(ROUNDS):
            yield Sample("history empty", await rate(bench, empty))
            yield Sample("history full", await rate(bench, full))


async def rate(bench: Bench, site: Site) -> float:
    """Drain once, and leave history as it was."""
    async with site.open() as database:
        await load(database, bench.scale.jobs)
    site.settle_down()
    drained = await drain(site, bench.scale.jobs, bench.scale.processes, bench.say)
    site.ask("delete from windlass_history where type = 'nothing'")
    site.ask("delete from windlass_rollups")
    return drained.rate


MEASURE = Measure(
    name="history",
    figures=(
        Figure(name="history empty", unit="jobs/s"),
        Figure(name="history full", unit="jobs/s", base="history empty", share=Bound(0.9)),
    ),
    take=take,
    once=True,
)
