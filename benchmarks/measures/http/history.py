"""How long counting and listing takes when very many jobs are finished."""

from __future__ import annotations

from collections.abc import AsyncIterator

from benchmarks.figure import Bound, Dialect, Figure
from benchmarks.http.calls import Calls, call
from benchmarks.http.server import serving
from benchmarks.jobs import load
from benchmarks.measure import Bench, Measure, Sample
from benchmarks.measures.history import CHUNK

CALLS = 200
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
    """The slowest but for one in a hundred; one caller, so that nobody waits for another."""
    async with bench.fresh() as site:
        for done in range(0, bench.scale.finished, CHUNK):
            bench.say(f"{done:,} of {bench.scale.finished:,} jobs in history")
            site.ask_file("finished")
        async with site.open() as database:
            await load(database, WAITING)
        site.settle_down()
        async with serving(site) as server:
            for name, path in PATHS.items():
                bench.say(path)
                calls = Calls(
                    port=server.port,
                    requests=[server.request("GET", path)],
                    connections=1,
                    count=CALLS,
                )
                yield Sample(_name(name), (await call(calls)).p99)


def _name(asked: str) -> str:
    return f"full history, {asked}"


MEASURE = Measure(
    name="http_history",
    figures=tuple(
        Figure(
            name=_name(asked),
            unit="ms",
            asked=dict.fromkeys(Dialect, Bound(50, at_most=True)),
        )
        for asked in PATHS
    ),
    take=take,
    once=True,
)
