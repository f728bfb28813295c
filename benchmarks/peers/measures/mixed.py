"""How fast jobs come through while they are enqueued: a producer at full speed beside the workers.

Time runs from the moment before the first job is sent to the start of the last.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

from benchmarks.peers.measure import Bench, Figure, Measure, Sample
from benchmarks.peers.measures.drain import size, sound
from benchmarks.peers.records import starts

PART = 3  # of the jobs of a drain


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """The producer takes the fastest way there is."""
    async with bench.fresh() as stage:
        jobs = size(stage.header.drain, bench.scale.share / PART)
        await stage.ask("prepare")
        async with stage.crew() as crew:
            await stage.ask("fill", "noop", "1")
            await stage.expect(1, crew)
            bench.say(f"{jobs:,} jobs in and out")
            await stage.ask("fill", "noop", str(jobs))
            await stage.expect(1 + jobs, crew)
        begun = starts(stage.records.read(since=1))
    note = sound(begun, jobs)
    sent = min(record.enqueued for record in begun)
    yield Sample("mixed", jobs / (begun[-1].at - sent), note)


MEASURE = Measure(
    name="mixed",
    figures=(Figure("mixed", "in and out", "jobs/s", "more"),),
    take=take,
    rounds=2,
    quick=False,
)
