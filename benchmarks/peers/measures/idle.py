"""What workers cost while there is nothing to do: they themselves, and the servers they ask."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

from benchmarks.peers.measure import Bench, Figure, Measure, Sample

CALM = 2.0  # seconds after the first job, until what belongs to the start is over


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """After one job, so that everybody is there."""
    async with bench.fresh() as stage:
        await stage.ask("prepare")
        async with stage.crew() as crew:
            await stage.ask("fill", "noop", "1")
            await stage.expect(1, crew)
            await asyncio.sleep(CALM)
            bench.say(f"doing nothing for {bench.scale.idle:g} s")
            began, workers, servers = time.monotonic(), crew.cpu(), stage.place.cpu()
            await asyncio.sleep(bench.scale.idle)
            crew.check()
            each = 100 / (time.monotonic() - began)
            yield Sample("idle", each * (crew.cpu() - workers))
            yield Sample("idle_store", each * (stage.place.cpu() - servers))


MEASURE = Measure(
    name="idle",
    figures=(
        Figure("idle", "idle", "% of a core", "less"),
        Figure("idle_store", "its store", "% of a core", "less"),
    ),
    take=take,
    rounds=1,
    quick=False,
)
