"""How fast workers get through plain functions, where these go another way than coroutines."""

from __future__ import annotations

from collections.abc import AsyncIterator

from benchmarks.peers.measure import Bench, Figure, Measure, Sample
from benchmarks.peers.measures.drain import rate, size, sound
from benchmarks.peers.records import starts

PART = 4  # of the jobs of a drain: each costs more


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """As a drain."""
    async with bench.fresh() as stage:
        jobs = size(stage.header.drain, bench.scale.share / PART)
        can = await stage.ask("prepare")
        if not can["sync"]:
            yield Sample("drain_sync", None, "as drain")
            return
        bench.say(f"filling in {jobs:,} plain functions")
        await stage.ask("fill", "noop_sync", str(jobs))
        stage.place.settle_down()
        bench.say(f"draining {jobs:,} plain functions")
        async with stage.crew() as crew:
            await stage.expect(jobs, crew)
        begun = starts(stage.records.read())
    yield Sample("drain_sync", rate(begun, jobs), sound(begun, jobs))


MEASURE = Measure(
    name="drain_sync",
    figures=(Figure("drain_sync", "drain, plain", "jobs/s", "more"),),
    take=take,
    rounds=1,
    quick=False,
)
