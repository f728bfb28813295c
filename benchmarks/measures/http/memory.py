"""Whether the service grows with the requests that it has answered."""

from __future__ import annotations

from collections.abc import AsyncIterator

from benchmarks.figure import Bound, Dialect, Figure
from benchmarks.http.calls import Calls, call
from benchmarks.http.server import Server, serving
from benchmarks.jobs import load, submission
from benchmarks.measure import Bench, Measure, Sample
from benchmarks.sites import Site

JOBS = 10_000
# After this share of the requests caches are full, and a heap is as large as it needs to be.
SETTLED = 0.2


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """Submit and read in turns, and ask for what is not there."""
    count = bench.scale.requests
    async with bench.fresh() as site:
        async with site.open() as database:
            await load(database, JOBS)
        async with serving(site) as server:
            calls = Calls(port=server.port, requests=_requests(site, server))
            bench.say("until it has settled")
            await call(calls.for_count(int(count * SETTLED)))
            before = server.program.memory()
            bench.say(f"{count:,} requests")
            await call(calls.for_count(int(count * (1 - SETTLED))))
            after = server.program.memory()
    yield Sample("memory", after / 2**20)
    yield Sample("memory, growth", (after - before) / 2**20)


def _requests(site: Site, server: Server) -> list[bytes]:
    ids = site.ask("select cast(id as text) from windlass_jobs")
    reads = [server.request("GET", f"/jobs/{job}") for (job,) in ids]
    posts = [server.request("POST", "/jobs", submission(number)) for number in range(len(ids))]
    return [request for both in zip(posts, reads, strict=True) for request in both]


MEASURE = Measure(
    name="http_memory",
    figures=(
        Figure(name="memory", unit="MB PSS"),
        Figure(
            name="memory, growth",
            unit="MB",
            asked=dict.fromkeys(Dialect, Bound(8, at_most=True)),
        ),
    ),
    take=take,
    once=True,
)
