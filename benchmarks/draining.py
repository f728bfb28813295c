"""A worker empties the line, and history says how long it took."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.fleet import Fleet, WorkerFailed, fleet
from benchmarks.sites import Site

STALLED = 30.0

TALLY = "select coalesce(sum(jobs), 0) from windlass_rollups where type like 'nothing%'"
LEFT = "select count(*) from windlass_jobs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drained:
    """What a drain came to."""

    jobs: int
    seconds: float
    worker_cpu: float  # seconds, of all its processes
    database_cpu: float

    @property
    def rate(self) -> float:
        """Jobs per second."""
        return self.jobs / self.seconds


async def drain(
    site: Site, jobs: int, processes: int, say: Callable[[str], None] = lambda _: None
) -> Drained:
    """Let a worker of its own processes do all jobs, and check that it did each of them once."""
    async with fleet(site, processes) as running:
        before = running.cpu(), site.cpu()
        await _all_done(site, jobs, running, say)
        worker_cpu, database_cpu = running.cpu() - before[0], site.cpu() - before[1]
    count, clean, seconds = site.ask_file("ended")[0]
    [(left,)] = site.ask(LEFT)
    if (count, clean, left) != (jobs, jobs, 0):
        raise WorkerFailed(f"of {jobs} jobs {count} ended, {clean} of them well; {left} are left")
    return Drained(
        jobs=jobs,
        seconds=float(seconds),
        worker_cpu=worker_cpu,
        database_cpu=database_cpu,
    )


async def _all_done(site: Site, jobs: int, running: Fleet, say: Callable[[str], None]) -> None:
    """Look a few times a second, cheaply: the machine is the worker's."""
    done = -1
    while True:
        async with asyncio.timeout(STALLED):
            while (now := int(site.ask(TALLY)[0][0])) == done:
                running.check()
                await asyncio.sleep(0.25)
        done = now
        say(f"{done:,} of {jobs:,} jobs")
        if done >= jobs:
            return
