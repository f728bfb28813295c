"""How fast jobs are enqueued one by one, each durable before its caller goes on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

from benchmarks.figure import Figure
from benchmarks.jobs import Jobs
from benchmarks.measure import Bench, Measure, Sample

CALLERS = 64


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """One caller, then many at once."""
    count = bench.scale.enqueues
    async with bench.fresh() as site:
        jobs = Jobs(site.url)
        async with jobs.app:
            await enqueue(jobs, 10)
            bench.say("one caller")
            yield Sample("enqueue_one", await rate(jobs, 1, count))
            bench.say(f"{CALLERS} callers")
            yield Sample("enqueue_one, 64 callers", await rate(jobs, CALLERS, count // 4))


async def rate(jobs: Jobs, callers: int, count: int) -> float:
    """Jobs per second, over all callers."""
    before = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(callers):
            group.create_task(enqueue(jobs, count))
    return callers * count / (time.perf_counter() - before)


async def enqueue(jobs: Jobs, count: int) -> None:
    for number in range(count):
        await jobs.nothing.enqueue(user="ada@example.org", number=number, note="x" * 60)


MEASURE = Measure(
    name="enqueue_one",
    figures=(
        Figure(name="enqueue_one", unit="jobs/s"),
        Figure(name="enqueue_one, 64 callers", unit="jobs/s"),
    ),
    take=take,
)
