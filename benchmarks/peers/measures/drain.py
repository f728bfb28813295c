"""How fast workers get through a line of jobs that do nothing, how soon they begin, and their size.

Time runs from the start of the first job to the start of the last; the CPU that a job takes is that
of the workers and of the servers they ask, once they have begun.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator

from benchmarks.peers.crew import SideFailed
from benchmarks.peers.measure import Bench, Figure, Measure, Sample
from benchmarks.peers.records import Record, fault, starts

MB = 2**20


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """The workers start when all jobs are in line."""
    async with bench.fresh() as stage:
        jobs = size(stage.header.drain, bench.scale.share)
        await stage.ask("prepare")
        bench.say(f"filling in {jobs:,} jobs")
        await stage.ask("fill", "noop", str(jobs))
        stage.place.settle_down()
        bench.say(f"draining {jobs:,} jobs")
        spawned = time.monotonic()
        async with stage.crew() as crew:
            await stage.expect(1, crew)
            before, worked = stage.records.count(), stage.cpu(crew)
            await stage.expect(jobs, crew)
            worked = stage.cpu(crew) - worked
            rss, pss = crew.memory()
        begun = starts(stage.records.read())
    yield Sample("startup", first(begun).at - spawned)
    yield Sample("drain", rate(begun, jobs), sound(begun, jobs))
    yield Sample("drain_cpu", 1e6 * worked / (jobs - before) if before < jobs else None)
    yield Sample("memory_rss", rss / MB)
    yield Sample("memory_pss", pss / MB)


def size(drain: int, share: float) -> int:
    """How many jobs, in round numbers."""
    return max(200, round(drain * share / 100) * 100)


def first(begun: list[Record]) -> Record:
    """The first job that started, if any did."""
    if not begun:
        raise SideFailed("no job ran")
    return begun[0]


def rate(begun: list[Record], jobs: int) -> float:
    """Jobs a second, from the first start to the last."""
    return (jobs - 1) / (begun[-1].at - first(begun).at)


def sound(begun: list[Record], jobs: int) -> str:
    """What is to be said of a drain; one that did not run every job has no rate."""
    wrong = fault(begun, jobs)
    if "did not run" in wrong:
        raise SideFailed(wrong)
    return wrong


MEASURE = Measure(
    name="drain",
    figures=(
        Figure("drain", "drain", "jobs/s", "more"),
        Figure("drain_cpu", "CPU", "µs a job", "less"),
        Figure("startup", "to first job", "s", "less"),
        Figure("memory_rss", "RSS", "MB", "less"),
        Figure("memory_pss", "PSS", "MB", "less"),
    ),
    take=take,
)
