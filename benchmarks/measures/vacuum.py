"""Whether a worker keeps its pace while some transaction holds back vacuum."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, nullcontext

import psycopg

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
                whole, last = await paces(copy, bench)
                yield Sample(f"vacuum {name}", whole)
                yield Sample(f"vacuum {name}, last third", last)


async def paces(site: Site, bench: Bench) -> tuple[float, float]:
    """Let a worker run for the time; what it has not begun by then it hands back."""
    async with fleet(site, bench.scale.processes) as running:
        while not site.ask("select 1 from windlass_rollups limit 1"):
            running.check()
            await asyncio.sleep(0.1)
        await asyncio.sleep(bench.scale.hold)
        running.check()
    [(whole, last)] = site.ask_file("paces")
    return whole, last


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
    ),
    take=take,
    dialects=frozenset({Dialect.POSTGRES}),
    once=True,
)
