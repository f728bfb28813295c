"""Whether a job costs more the longer the line is, or the more have finished before it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

from benchmarks.draining import tally
from benchmarks.figure import Bound, Dialect, Figure
from benchmarks.filling import finish, line_up
from benchmarks.fleet import fleet
from benchmarks.jobs import Jobs
from benchmarks.measure import Bench, Measure, Sample
from benchmarks.program import Program, ProgramFailed
from benchmarks.sites import Site

WAITING = {"10 k": 10_000, "100 k": 100_000, "1 M": 1_000_000, "5 M": 5_000_000}
FINISHED = {"1 M": 1_000_000, "10 M": 10_000_000}
# Those that others are compared with.
SHORT, COMMON = "10 k", "100 k"
BESIDE = "CPU beside its base"
# What is timed, however long the line is: a part of a long one, or short ones one after the other.
WINDOW = 100_000
# Of a long line more, since whoever counts a line comes by in one or two of them: not often, but
# for millions of jobs it takes seconds.
WINDOWS_SHORT, WINDOWS_LONG = 3, 5
# Of short lines right before a long one, and right after it: a shared machine has slow minutes.
WINDOWS_AROUND = 2
EVERY = 0.1
STALLED = 300.0
# Seconds after which a worker has loaded its program.
START_UP = 3.0
# Jobs that come one by one before the rush, and the seconds between them: then PostgreSQL has
# planned the statements of a worker for a line with nobody in it, and keeps to that.
TRICKLE = 20
APART = 0.4
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


@dataclass(frozen=True, slots=True)
class Comparison:
    """Windows of one kind, and those that they are compared with, taken close to them."""

    name: str
    base: str
    windows: list[Cost]
    beside: list[Cost]

    def samples(self) -> Iterator[Sample]:
        """The rate and the cost of each window, and how its cost compares."""
        usual = median(map(_each, self.beside))
        for name, costs in ((self.base, self.beside), (self.name, self.windows)):
            for cost in costs:
                yield Sample(f"growth, {name}", cost.jobs / cost.seconds)
                yield Sample(f"growth, {name}, CPU", _each(cost) * 1e6)
        for cost in self.windows:
            yield Sample(f"growth, {self.name}, {BESIDE}", _each(cost) / usual)


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """From short lines to long ones, then lines after a trickle and beside a long history."""
    for comparison in comparisons(bench):
        for sample in (await comparison).samples():
            yield sample


def comparisons(bench: Bench) -> Iterator[Coroutine[Any, Any, Comparison]]:
    """What is compared with what."""
    yield in_turns(bench, SHORT, f"{COMMON} waiting")
    for label, waiting in _up_to(bench.scale.rows, WAITING):
        if waiting > WINDOW:
            yield around(bench, label)
    yield in_turns(bench, COMMON, f"{COMMON} after a trickle", trickle=TRICKLE)
    for label, finished in _up_to(bench.scale.rows, FINISHED):
        yield in_turns(bench, COMMON, f"{label} finished", finished=finished)


async def around(bench: Bench, label: str) -> Comparison:
    """A long line, which does not stop once it is begun, with short ones before and after it."""
    async with bench.fresh() as site, bench.fresh() as near:
        line_up(site, WAITING[label], bench.say)
        bench.say("vacuum and checkpoint")
        site.settle_down()
        async with short_lines(near, WAITING[SHORT], bench.say) as short:
            before = [await short.window() for _ in range(WINDOWS_AROUND)]
            windows = [cost async for cost in long_line(site, WAITING[label], bench.say)]
            after = [await short.window() for _ in range(WINDOWS_AROUND)]
    return Comparison(f"{label} waiting", f"{SHORT} waiting", windows, [*before, *after])


async def in_turns(
    bench: Bench, base: str, name: str, *, trickle: int = 0, finished: int = 0
) -> Comparison:
    """Lines of the common length, as they come or with something before, beside their base."""
    async with bench.fresh() as site, bench.fresh() as near:
        if finished:
            finish(site, finished, bench.say)
        site.settle_down()
        async with (
            short_lines(near, WAITING[base], bench.say) as plain,
            short_lines(site, WAITING[COMMON], bench.say, trickle=trickle) as special,
        ):
            pairs = [(await special.window(), await plain.window()) for _ in range(WINDOWS_SHORT)]
    windows, beside = zip(*pairs, strict=True)
    return Comparison(name, f"{base} waiting", list(windows), list(beside))


async def long_line(site: Site, waiting: int, say: Callable[[str], None]) -> AsyncIterator[Cost]:
    """The first jobs of a line whose end is far away, one window after the other."""
    async with fleet(site) as running:
        begun = await reached(site, running, 1)
        for window in range(1, WINDOWS_LONG + 1):
            say(f"window {window} of {WINDOWS_LONG}")
            ended = await reached(site, running, begun.jobs + WINDOW)
            yield ended - begun
            begun = ended
    check(site, waiting)


@dataclass(slots=True)
class Lines:
    """A worker, and lines of a length that it is given one after the other."""

    site: Site
    running: Program
    waiting: int
    say: Callable[[str], None]
    windows: int = 0

    async def window(self) -> Cost:
        """As many of them as it takes to do as many jobs as of a long line."""
        self.windows += 1
        self.say(f"{self.waiting:,} in line, window {self.windows}")
        lines = WINDOW // self.waiting
        parts = [await whole_line(self.site, self.running, self.waiting) for _ in range(lines)]
        return sum(parts, Cost(0, 0.0, 0.0))


@asynccontextmanager
async def short_lines(
    site: Site, waiting: int, say: Callable[[str], None], *, trickle: int = 0
) -> AsyncIterator[Lines]:
    """Lines of this length while the block runs, perhaps after a trickle."""
    async with fleet(site) as running:
        say("starting")
        await asyncio.sleep(START_UP)
        await one_by_one(site, trickle)
        lines = Lines(site, running, waiting, say)
        yield lines
    check(site, trickle + WINDOW * lines.windows)


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


def _each(cost: Cost) -> float:
    return cost.cpu / cost.jobs


NAMES = (
    *(f"growth, {label} waiting" for label in WAITING),
    f"growth, {COMMON} after a trickle",
    *(f"growth, {label} finished" for label in FINISHED),
)
FLAT = dict.fromkeys(Dialect, Bound(1.15, at_most=True))

MEASURE = Measure(
    name="growth",
    figures=(
        *(Figure(name=name, unit="jobs/s") for name in NAMES),
        *(Figure(name=f"{name}, CPU", unit="µs CPU/job") for name in NAMES),
        *(Figure(name=f"{name}, {BESIDE}", unit="times", asked=FLAT) for name in NAMES[1:]),
    ),
    take=take,
    once=True,
)
