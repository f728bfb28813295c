"""Where the time of a job goes: a worker in this process, under cProfile.

The profiler slows small functions down more than large ones, so times are only roughly true, while
calls per job are exact. Rate and CPU time are of a drain without it.
"""

from __future__ import annotations

import asyncio
import cProfile
import pstats
import shutil
import signal
import threading
import time
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.draining import EVERY, tally
from benchmarks.figure import Dialect
from benchmarks.fleet import fleet
from benchmarks.jobs import Jobs, load
from benchmarks.sites import CACHE, Site, Sites

LINES = 40
STALLED = 120.0
ROOT = Path(__file__).parents[1]
# Time passes here, but nobody works.
WAITING = frozenset(
    {
        "<method 'poll' of 'select.epoll' objects>",
        "<method 'get' of '_queue.SimpleQueue' objects>",
        "<method 'acquire' of '_thread.lock' objects>",
        "<built-in method time.sleep>",
    }
)


class Line(NamedTuple):
    """One function: its own µs and its calls, both for each job."""

    own: float
    calls: float
    where: str


async def profile(sites: Sites, dialect: Dialect, jobs: int, console: Console) -> None:
    """Drain once as it is, and once under the profiler."""
    async with loaded(sites, dialect, jobs) as site:
        seconds, here, server = await drained(site, jobs)
    console.print(
        f"[bold]{dialect.label}[/]: {jobs / seconds:,.0f} jobs/s; each takes"
        f" {here / jobs * 1e6:.1f} µs of CPU here and {server / jobs * 1e6:.1f} µs in the server",
        highlight=False,
    )
    async with loaded(sites, dialect, jobs) as site:
        with every_thread() as profiles:
            await drained(site, jobs)
    console.print(table(lines(profiles, jobs)))
    await flame(sites, dialect, jobs, console)


@asynccontextmanager
async def loaded(sites: Sites, dialect: Dialect, jobs: int) -> AsyncIterator[Site]:
    """A database with jobs in line."""
    async with sites.fresh(dialect) as site:
        async with site.open() as database:
            await load(database, jobs)
        site.settle_down()
        yield site


async def drained(site: Site, jobs: int) -> tuple[float, float, float]:
    """Drain in this process: seconds that passed, and of CPU time here and in the server."""
    async with Jobs(site.url).app as app:
        began, here, server = time.perf_counter(), time.process_time(), site.cpu()
        async with app.worker():
            await until_tally(site, jobs)
            seconds = time.perf_counter() - began
            return seconds, time.process_time() - here, site.cpu() - server


async def flame(sites: Sites, dialect: Dialect, jobs: int, console: Console) -> None:
    """Draw where a real worker spends its time, if py-spy is there to watch it."""
    program = shutil.which("py-spy")
    if program is None:
        console.print("with py-spy on the PATH there would be a flame graph, too", style="dim")
        return
    picture = CACHE / f"flame-{dialect}.svg"
    watch = [program, "record", "--subprocesses", "--rate=500", f"--output={picture}"]
    async with loaded(sites, dialect, jobs) as site, fleet(site) as running:
        spy = await asyncio.create_subprocess_exec(
            *watch, f"--pid={running.pid}", stdout=DEVNULL, stderr=DEVNULL
        )
        await until_tally(site, jobs)
        spy.send_signal(signal.SIGINT)
        await spy.wait()
    console.print(f"a flame graph of the worker is in {picture}")


async def until_tally(site: Site, jobs: int) -> None:
    """Wait until so many jobs are done."""
    async with asyncio.timeout(STALLED):
        while tally(site) < jobs:  # noqa: ASYNC110 — it is the database's to tell
            await asyncio.sleep(EVERY)


@contextmanager
def every_thread() -> Iterator[list[cProfile.Profile]]:
    """Profile this thread and those that are started meanwhile."""
    profiles: list[cProfile.Profile] = []

    def begin(*_: object) -> None:
        # As the thread's profile function this is called once: the profiler then takes its place.
        profiles.append(cProfile.Profile())
        profiles[-1].enable()

    threading.setprofile(begin)
    begin()
    try:
        yield profiles
    finally:
        profiles[0].disable()
        threading.setprofile(None)


def lines(profiles: list[cProfile.Profile], jobs: int) -> list[Line]:
    """The functions that take most time of their own."""
    summed = pstats.Stats(*profiles)
    found = [
        Line(own / jobs * 1e6, calls / jobs, named(*function))
        for function, (_, calls, own, _, _) in summed.stats.items()  # type: ignore[attr-defined]
    ]
    return sorted((line for line in found if line.where not in WAITING), reverse=True)[:LINES]


def named(file: str, line: int, function: str) -> str:
    """A function as one would look for it."""
    if file == "~":
        return function
    path = Path(file)
    short = path.relative_to(ROOT) if path.is_relative_to(ROOT) else Path(*path.parts[-2:])
    return f"{short}:{line} {function}"


def table(found: list[Line]) -> Table:
    drawn = Table("own µs/job", "calls/job", "function", box=None, padding=(0, 2, 0, 0))
    for line in found:
        drawn.add_row(f"{line.own:.2f}", f"{line.calls:.3f}", line.where)
    return drawn
