"""Whether a job costs more the longer the line is, or the more have finished before it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass

from benchmarks.draining import tally
from benchmarks.figure import Bound, Figure
from benchmarks.filling import finish, line_up
from benchmarks.fleet import fleet
from benchmarks.jobs import Jobs
from benchmarks.measure import Bench, Measure, Sample
from benchmarks.program import Program, ProgramFailed
from benchmarks.sites import Site

WAITING = {"10 k": 10_000, "100 k": 100_000, "1 M": 1_000_000, "5 M": 5_000_000}
FINISHED = {"1 M": 1_000_000, "10 M": 10_000_000}
BESIDE_FINISHED = 100_000
# What is timed, however long the line is: a part of a long one, or short ones one after the other.
WINDOW = 100_000
# Of a long line more, since whoever counts a line comes by in one or two of them: not often, but
# for millions of jobs it takes seconds.
WINDOWS_SHORT, WINDOWS_LONG = 3, 5
EVERY = 0.1
STALLED = 300.0
# Seconds after which a worker has loaded its program.
START_UP = 3.0
# Jobs that come one by one before the rush, and the seconds between them: then PostgreSQL has
# planned the statements of a worker for a line with nobody in it, and keeps to that.
TRICKLE = 20
APART = 0.4
RUSH = {"100 k": 100_000}
ENDED = (
    "select count(*), count(*) filter (where state = 'completed' and attempts = 1 and fence = 1)"
    " from windlass_history where type = 'nothing'"
)


@dataclass(frozen=True, slots=True)
class Cost:
    """So many jobs, the seconds that they took, and the seconds of CPU time."""

    jobs: int
    seconds: float
    cpu: float

    def __add__(self, more: Cost) -> Cost:
        return Cost(self.jobs + more.jobs, self.seconds + more.seconds, self.cpu + more.cpu)

    def __sub__(self, less: Cost) -> Cost:
        return Cost(self.jobs - less.jobs, self.seconds - less.seconds, self.cpu - less.cpu)


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """From short lines to long ones, then short ones after a trickle and beside a long history."""
    async for name, cost in costs(bench):
        yield Sample(f"growth, {name}", cost.jobs / cost.seconds)
        yield Sample(f"growth, {name}, CPU", cost.cpu / cost.jobs * 1e6)


async def costs(bench: Bench) -> AsyncIterator[tuple[str, Cost]]:
    """What each window cost, and of what it was one."""
    for label, waiting in _up_to(bench.scale.rows, WAITING):
        async with bench.fresh() as site:
            windows = long_line if waiting > WINDOW else short_lines
            async for cost in windows(site, waiting, bench.say):
                yield f"{label} waiting", cost
    for label, waiting in RUSH.items():
        async with bench.fresh() as site:
            site.settle_down()
            async for cost in short_lines(site, waiting, bench.say, trickle=TRICKLE):
                yield f"{label} after a trickle", cost
    for label, finished in _up_to(bench.scale.rows, FINISHED):
        async with bench.fresh() as site:
            finish(site, finished, bench.say)
            site.settle_down()
            async for cost in short_lines(site, BESIDE_FINISHED, bench.say):
                yield f"{label} finished", cost


async def long_line(site: Site, waiting: int, say: Callable[[str], None]) -> AsyncIterator[Cost]:
    """The first jobs of a line whose end is far away, one window after the other."""
    line_up(site, waiting, say)
    say("vacuum and checkpoint")
    site.settle_down()
    async with fleet(site) as running:
        begun = await reached(site, running, 1)
        for window in range(1, WINDOWS_LONG + 1):
            say(f"window {window} of {WINDOWS_LONG}")
            ended = await reached(site, running, begun.jobs + WINDOW)
            yield ended - begun
            begun = ended
    check(site, waiting)


async def short_lines(
    site: Site, waiting: int, say: Callable[[str], None], *, trickle: int = 0
) -> AsyncIterator[Cost]:
    """The whole of a line, as often as it takes to do as many jobs as of a long one."""
    async with fleet(site) as running:
        say("starting")
        await asyncio.sleep(START_UP)
        await one_by_one(site, trickle)
        for window in range(1, WINDOWS_SHORT + 1):
            say(f"window {window} of {WINDOWS_SHORT}")
            parts = [await whole_line(site, running, waiting) for _ in range(WINDOW // waiting)]
            yield sum(parts, Cost(0, 0.0, 0.0))
    check(site, trickle + WINDOW * WINDOWS_SHORT)


async def one_by_one(site: Site, count: int) -> None:
    """Enqueue some jobs as a quiet day brings them."""
    jobs = Jobs(site.url)
    async with jobs.app:
        for number in range(count):
            await jobs.nothing.enqueue(user="ada@example.org", number=number, note="")
            await asyncio.sleep(APART)


async def whole_line(site: Site, running: Program, waiting: int) -> Cost:
    """All jobs of a line that is there at once, which history says how long they took."""
    done = tally(site)
    line_up(site, waiting, _silent)
    # Making them is over, and nobody rang: the worker rests until its next look.
    cpu = running.cpu() + site.cpu()
    [(first,)] = site.ask("select cast(id as text) from windlass_jobs order by id limit 1")
    ended = await reached(site, running, done + waiting)
    _, _, seconds = site.ask_file("ended", first=first)[0]
    return Cost(waiting, float(seconds), ended.cpu - cpu)


async def reached(site: Site, running: Program, jobs: int) -> Cost:
    """What it has cost when so many jobs are done, or a few more."""
    async with asyncio.timeout(STALLED):
        while (done := tally(site)) < jobs:
            running.check()
            await asyncio.sleep(EVERY)
    return Cost(done, time.perf_counter(), running.cpu() + site.cpu())


def check(site: Site, jobs: int) -> None:
    """Raise unless each job was done once or still waits."""
    [(ended, well)] = site.ask(ENDED)
    [(left,)] = site.ask("select count(*) from windlass_jobs where attempts = 0")
    if ended != well or ended + left != jobs:
        raise ProgramFailed(f"of {jobs} jobs {ended} ended, {well} of them well; {left} are left")


def _up_to(most: int, rows: Mapping[str, int]) -> list[tuple[str, int]]:
    return [(label, many) for label, many in rows.items() if many <= most]


def _silent(_: str) -> None:
    """Say nothing: it is over at once."""


# Each figure, and the one that it shall not be much above.
BASES = {
    **{f"growth, {label} waiting": "growth, 10 k waiting" for label in WAITING},
    **{f"growth, {label} after a trickle": f"growth, {label} waiting" for label in RUSH},
    **{f"growth, {label} finished": "growth, 100 k waiting" for label in FINISHED},
}

MEASURE = Measure(
    name="growth",
    figures=(
        *(Figure(name=name, unit="jobs/s", base=base) for name, base in BASES.items()),
        *(
            Figure(
                name=f"{name}, CPU",
                unit="µs CPU/job",
                base=f"{base}, CPU",
                share=Bound(1.15, at_most=True),
            )
            for name, base in BASES.items()
        ),
    ),
    take=take,
    once=True,
)
