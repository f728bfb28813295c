"""A worker empties the line, and history says how long it took."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from benchmarks.fleet import fleet
from benchmarks.program import Program, ProgramFailed
from benchmarks.sites import Site

STALLED = 30.0
EVERY = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Drained:
    """What a drain came to: jobs per second, and µs of CPU time for each job."""

    rate: float
    worker_cpu: float
    database_cpu: float

    @property
    def cpu(self) -> float:
        """All of it."""
        return self.worker_cpu + self.database_cpu


class Moment(NamedTuple):
    """How far a drain had come, and for how many seconds who had worked."""

    done: int
    worker: float
    database: float


async def drain(site: Site, jobs: int, processes: int, say: Callable[[str], None]) -> Drained:
    """Let a worker do all jobs, and check that it did each of them once."""
    [(first_id,)] = site.ask("select cast(id as text) from windlass_jobs order by id limit 1")
    async with fleet(site, processes) as running:
        moments = await _watched(site, jobs, running, say)
    count, clean, seconds = site.ask_file("ended", first=first_id)[0]
    [(left,)] = site.ask("select count(*) from windlass_jobs")
    if (count, clean, left) != (jobs, jobs, 0):
        raise ProgramFailed(f"of {jobs} jobs {count} ended, {clean} of them well; {left} are left")
    # From the first jobs on, so that loading the program does not count.
    first, last = moments[0], moments[-1]
    each = 1e6 / max(last.done - first.done, 1)
    return Drained(
        rate=jobs / float(seconds),
        worker_cpu=(last.worker - first.worker) * each,
        database_cpu=(last.database - first.database) * each,
    )


def tally(site: Site) -> int:
    """How many jobs were settled, ever; cheap while a drain runs, with one row for each batch."""
    [(jobs,)] = site.ask("select coalesce(sum(jobs), 0) from windlass_rollups")
    return int(jobs)


async def _watched(
    site: Site, jobs: int, running: Program, say: Callable[[str], None]
) -> list[Moment]:
    """Look a few times a second until all are done: the machine is the worker's."""
    moments: list[Moment] = []
    before, done = tally(site), 0
    while done < jobs:
        async with asyncio.timeout(STALLED):
            while (now := tally(site) - before) == done:
                running.check()
                await asyncio.sleep(EVERY)
        done = now
        moments.append(Moment(done, running.cpu(), site.cpu()))
        say(f"{done:,} of {jobs:,} jobs")
    return moments
