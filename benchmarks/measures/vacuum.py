"""Whether a worker keeps its pace while some transaction holds back vacuum."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, nullcontext

import psycopg

from benchmarks.draining import tally
from benchmarks.figure import Bound, Dialect, Figure
from benchmarks.fleet import fleet
from benchmarks.jobs import load
from benchmarks.measure import Bench, Measure, Sample
from benchmarks.sites import Site

# More jobs than a worker gets through in the time, so that the line never runs dry.
PACE = 60_000


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """The same jobs twice: with vacuum free to clean up, and without."""
    jobs = int(PACE * bench.scale.hold)
    async with bench.fresh() as site:
        bench.say(f"loading {jobs:,} jobs")
        async with site.open() as database:
            await load(database, jobs)
        site.settle_down()
        for name, holding in (("free", nullcontext), ("held", held_back)):
            with site.copy() as copy, holding(copy):
                bench.say(f"vacuum {name}")
                cpu = await work(copy, bench)
                [(whole, last)] = copy.ask_file("paces")
                yield Sample(f"vacuum {name}", whole)
                yield Sample(f"vacuum {name}, last third", last)
                yield Sample(f"vacuum {name}, CPU", cpu)


async def work(site: Site, bench: Bench) -> float:
    """Let a worker run for the time, and answer with its and the database's µs for each job."""
    async with fleet(site, bench.scale.processes) as running:
        while not tally(site):
            running.check()
            await asyncio.sleep(0.1)
        done, spent = tally(site), running.cpu() + site.cpu()
        await asyncio.sleep(bench.scale.hold)
        running.check()
        return (running.cpu() + site.cpu() - spent) / (tally(site) - done) * 1e6


@contextmanager
def held_back(site: Site) -> Iterator[None]:
    """Keep a snapshot open, as a long report or a forgotten session does."""
    with psycopg.connect(site.url) as connection:
        connection.execute("set transaction isolation level repeatable read")
        connection.execute("select from windlass_settings")
        yield


MEASURE = Measure(
    name="vacuum",
    figures=(
        Figure(name="vacuum free", unit="jobs/s"),
        Figure(name="vacuum free, last third", unit="jobs/s"),
        Figure(name="vacuum held", unit="jobs/s", base="vacuum free", share=Bound(0.7)),
        Figure(name="vacuum held, last third", unit="jobs/s", base="vacuum free, last third"),
        Figure(name="vacuum free, CPU", unit="µs CPU/job"),
        Figure(name="vacuum held, CPU", unit="µs CPU/job", base="vacuum free, CPU"),
    ),
    take=take,
    dialects=frozenset({Dialect.POSTGRES}),
    once=True,
)
