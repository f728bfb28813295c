"""What a worker costs while there is nothing to do."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

from benchmarks.figure import Bound, Dialect, Figure
from benchmarks.fleet import fleet
from benchmarks.measure import Bench, Measure, Sample

START_UP = 5.0


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """A supervisor and one worker process, after their start."""
    async with bench.fresh() as site, fleet(site) as running:
        bench.say("starting")
        await asyncio.sleep(START_UP)
        bench.say(f"doing nothing for {bench.scale.idle:g} s")
        began, worked = time.perf_counter(), running.cpu()
        await asyncio.sleep(bench.scale.idle)
        running.check()
        assert running.size == 2
        share = (running.cpu() - worked) / (time.perf_counter() - began)
        yield Sample("idle, CPU", share * 100)
        yield Sample("idle, memory", running.memory() / 2**20)


MEASURE = Measure(
    name="idle",
    figures=(
        Figure(
            name="idle, CPU",
            unit="% of a core",
            asked=dict.fromkeys(Dialect, Bound(1, at_most=True)),
        ),
        Figure(
            name="idle, memory",
            unit="MB PSS",
            asked=dict.fromkeys(Dialect, Bound(90, at_most=True)),
        ),
    ),
    take=take,
    once=True,
)
