"""How many jobs a second callers can submit, each answered after its commit."""

from __future__ import annotations

from collections.abc import AsyncIterator

from benchmarks.http.load import figures, load
from benchmarks.http.server import serving
from benchmarks.jobs import submission
from benchmarks.measure import Bench, Measure, Sample

NAME = "POST /jobs"


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """One job a request, on many connections."""
    async with bench.fresh() as site, serving(site) as server:
        bench.say(NAME)
        request = server.request("POST", "/jobs", submission())
        loaded = await load(site, server, [request], bench.scale.calling)
        [(kept,)] = site.ask("select count(*) from windlass_jobs")
        assert kept == loaded.warm_up + loaded.answers.good
        for sample in loaded.samples(NAME, site):
            yield sample


MEASURE = Measure(
    name="http_post",
    figures=figures(NAME, "requests", rate=6_000, p99=50),
    take=take,
)
