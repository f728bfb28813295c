"""A worker empties the line, and history says how long it took."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from benchmarks.fleet import Fleet, WorkerFailed, fleet
from benchmarks.sites import Site

STALLED = 30.0
EVERY = 0.25

# Cheap while a drain runs: one row for each batch that was settled.
TALLY = "select coalesce(sum(jobs), 0) from windlass_rollups where type like 'nothing%'"
LEFT = "select count(*) from windlass_jobs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drained:
    """What a drain came to: jobs per second, and µs of CPU time for each job."""

    rate: float
    worker_cpu: float
    database_cpu: float


class Moment(NamedTuple):
    """How far a drain had come, and for how many seconds who had worked."""

    done: int
    worker: float
    database: float


async def drain(site: Site, jobs: int, processes: int, say: Callable[[str], None]) -> Drained:
    """Let a worker do all jobs, and check that it did each of them once."""
    async with fleet(site, processes) as running:
        moments = await _watched(site, jobs, running, say)
    count, clean, seconds = site.ask_file("ended")[0]
    [(left,)] = site.ask(LEFT)
    if (count, clean, left) != (jobs, jobs, 0):
        raise WorkerFailed(f"of {jobs} jobs {count} ended, {clean} of them well; {left} are left")
    # From the first jobs on, so that loading the program does not count.
    first, last = moments[0], moments[-1]
    each = 1e6 / max(last.done - first.done, 1)
    return Drained(
        rate=jobs / float(seconds),
        worker_cpu=(last.worker - first.worker) * each,
        database_cpu=(last.database - first.database) * each,
    )


async def _watched(
    site: Site, jobs: int, running: Fleet, say: Callable[[str], None]
) -> list[Moment]:
    """Look a few times a second until all are done: the machine is the worker's."""
    moments: list[Moment] = []
    done = 0
    while done < jobs:
        async with asyncio.timeout(STALLED):
            while (now := int(site.ask(TALLY)[0][0])) == done:
                running.check()
                await asyncio.sleep(EVERY)
        done = now
        moments.append(Moment(done, running.cpu(), site.cpu()))
        say(f"{done:,} of {jobs:,} jobs")
    return moments
