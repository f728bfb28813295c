"""How long counting and listing takes when very many jobs are finished."""

from __future__ import annotations

from collections.abc import AsyncIterator

from benchmarks.filling import finish
from benchmarks.http.alone import ask, figures, samples
from benchmarks.http.server import serving
from benchmarks.jobs import load
from benchmarks.measure import Bench, Measure, Sample

WAITING = 1_000
PATHS = {
    "stats": "/stats",
    "list": "/jobs",
    "list completed": "/jobs?status=completed",
    "list failed, none": "/jobs?status=failed",
    "list states of a queue": "/jobs?status=failed,pending&queue=queue-7",
    "list a type's in a queue": "/jobs?type=old&queue=queue-7",
    "list a type, none": "/jobs?type=unheard-of",
}


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """First pages, of which some are full and some empty."""
    async with bench.fresh() as site:
        finish(site, bench.scale.finished, bench.say)
        async with site.open() as database:
            await load(database, WAITING)
        site.settle_down()
        async with serving(site) as server:
            for asked, path in PATHS.items():
                bench.say(path)
                for sample in samples(_name(asked), await ask(server, path)):
                    yield sample


def _name(asked: str) -> str:
    return f"full history, {asked}"


MEASURE = Measure(
    name="http_history",
    figures=tuple(figure for asked in PATHS for figure in figures(_name(asked), ms=50)),
    take=take,
    once=True,
)
