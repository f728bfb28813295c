"""How long it takes from calling enqueue to the first line of the handler of an idle worker."""

from __future__ import annotations

from collections.abc import AsyncIterator
from statistics import quantiles

from benchmarks.peers.measure import Bench, Figure, Measure, Sample
from benchmarks.peers.measures.drain import sound
from benchmarks.peers.records import starts
from benchmarks.peers.side import WARM_UP


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """Jobs come one by one, 20 ms apart."""
    count = bench.scale.picks
    async with bench.fresh() as stage:
        await stage.ask("prepare")
        async with stage.crew() as crew:
            bench.say("warming up")
            await stage.ask("fill", "noop", "1")
            await stage.expect(1, crew)
            bench.say(f"{count} jobs, now and then")
            await stage.ask("pickup", str(count))
            await stage.expect(1 + WARM_UP + count, crew)
        begun = starts(stage.records.read(since=1))
    note = sound(begun, count)
    took = [1000 * (record.at - record.enqueued) for record in begun]
    cut = quantiles(took, n=100, method="inclusive")
    yield Sample("pickup_p50", cut[49], note)
    yield Sample("pickup_p99", cut[98], note)


MEASURE = Measure(
    name="pickup",
    figures=(
        Figure("pickup_p50", "pick-up p50", "ms", "less"),
        Figure("pickup_p99", "p99", "ms", "less"),
    ),
    take=take,
)
