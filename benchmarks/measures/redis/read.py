"""How many jobs a second callers can read who ask for the same ones again and again."""

from __future__ import annotations

from collections.abc import AsyncIterator

from benchmarks.figure import Bound, Dialect, Figure
from benchmarks.http.load import load
from benchmarks.http.server import serving
from benchmarks.jobs import load as enqueue
from benchmarks.measure import Bench, Measure, Sample
from benchmarks.statements import count_statements, statements
from tests.services.redis import RedisServer

JOBS = 100
NAME = "GET hot jobs, with Redis"
PLAIN = "GET hot jobs, without"


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """Live jobs, in turns, on many connections."""
    with RedisServer() as redis:
        for name, place in ((PLAIN, None), (NAME, redis.url)):
            bench.say(name)
            async for sample in reads(bench, name, place):
                yield sample


async def reads(bench: Bench, name: str, redis: str | None) -> AsyncIterator[Sample]:
    """The rate, and what the database was asked meanwhile."""
    async with bench.fresh() as site:
        async with site.open() as database:
            await enqueue(database, JOBS)
        site.settle_down()
        count_statements(site)
        ids = site.ask("select cast(id as text) from windlass_jobs")
        async with serving(site, redis=redis) as server:
            requests = [server.request("GET", f"/jobs/{job}") for (job,) in ids]
            asked = statements(site)
            loaded = await load(site, server, requests, bench.scale.calling)
            asked = statements(site) - asked
    answered = loaded.warm_up + loaded.answers.good
    yield Sample(name, loaded.answers.rate)
    yield Sample(f"{name}, p99", loaded.answers.p99)
    yield Sample(f"{name}, server", loaded.server_cpu)
    yield Sample(f"{name}, statements", 1_000 * asked / answered)


MEASURE = Measure(
    name="redis_read",
    figures=(
        Figure(name=PLAIN, unit="requests/s"),
        Figure(name=f"{PLAIN}, p99", unit="ms"),
        Figure(name=f"{PLAIN}, server", unit="µs CPU/request"),
        Figure(name=f"{PLAIN}, statements", unit="per 1,000"),
        Figure(name=NAME, unit="requests/s", base=PLAIN, share=Bound(1.0)),
        Figure(name=f"{NAME}, p99", unit="ms"),
        Figure(name=f"{NAME}, server", unit="µs CPU/request"),
        Figure(
            name=f"{NAME}, statements",
            unit="per 1,000",
            asked={Dialect.POSTGRES: Bound(10, at_most=True)},
        ),
    ),
    take=take,
    dialects=frozenset({Dialect.POSTGRES}),
)
