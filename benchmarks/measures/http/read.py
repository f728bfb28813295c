"""How many jobs a second callers can read one by one."""

from __future__ import annotations

from collections.abc import AsyncIterator

from benchmarks.http.load import figures, load
from benchmarks.http.server import serving
from benchmarks.jobs import load as enqueue
from benchmarks.measure import Bench, Measure, Sample

NAME = "GET /jobs/{id}"
JOBS = 20_000


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """One job a request, another each time."""
    async with bench.fresh() as site:
        async with site.open() as database:
            await enqueue(database, JOBS)
        site.settle_down()
        ids = site.ask("select cast(id as text) from windlass_jobs")
        async with serving(site) as server:
            bench.say(NAME)
            requests = [server.request("GET", f"/jobs/{job}") for (job,) in ids]
            loaded = await load(site, server, requests, bench.scale.calling)
            for sample in loaded.samples(NAME, site):
                yield sample


MEASURE = Measure(
    name="http_read",
    figures=figures(NAME, "requests", rate=8_000),
    take=take,
)
