"""How fast a side takes jobs one by one, each accepted before the next is sent."""

from __future__ import annotations

from collections.abc import AsyncIterator

from benchmarks.peers.measure import Bench, Figure, Measure, Sample

PLENTY = 10_000_000  # seconds end it, not jobs


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """No worker runs meanwhile."""
    async with bench.fresh() as stage:
        await stage.ask("prepare")
        bench.say("one by one")
        sent = await stage.ask("enqueue", "noop", str(PLENTY), str(bench.scale.sending))
    yield Sample("enqueue", sent["jobs"] / sent["seconds"])


MEASURE = Measure(
    name="enqueue",
    figures=(Figure("enqueue", "one by one", "jobs/s", "more"),),
    take=take,
)
