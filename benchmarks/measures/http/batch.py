"""How many jobs a second callers can submit in batches."""

from __future__ import annotations

from collections.abc import AsyncIterator

from benchmarks.http.load import figures, load
from benchmarks.http.server import serving
from benchmarks.jobs import submission
from benchmarks.measure import Bench, Measure, Sample

NAME = "POST /jobs/batch"
BATCH = 1_000
CONNECTIONS = 4


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """A thousand jobs a request."""
    async with bench.fresh() as site, serving(site) as server:
        bench.say(NAME)
        jobs = [submission(number) for number in range(BATCH)]
        request = server.request("POST", "/jobs/batch", {"jobs": jobs})
        loaded = await load(site, server, [request], bench.scale.calling, CONNECTIONS)
        [(kept,)] = site.ask("select count(*) from windlass_jobs")
        assert kept == BATCH * (loaded.warm_up + loaded.answers.good)
        for sample in loaded.samples(NAME, site, each=BATCH):
            yield sample


MEASURE = Measure(
    name="http_batch",
    figures=figures(NAME, "jobs", rate=40_000),
    take=take,
)
