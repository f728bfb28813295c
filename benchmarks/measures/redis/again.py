"""What the database is asked when a request is repeated with its idempotency key."""

from __future__ import annotations

from collections.abc import AsyncIterator

from benchmarks.figure import Bound, Dialect, Figure
from benchmarks.http.load import load
from benchmarks.http.server import serving
from benchmarks.jobs import submission
from benchmarks.measure import Bench, Measure, Sample
from benchmarks.statements import count_statements, statements
from tests.services.redis import RedisServer

KEYS = 100
NAME = "POST again, with Redis"
PLAIN = "POST again, without"
# Whatever decides about a key names this table. What is asked beside it does not depend on how many
# call: who was revoked, and once a second the jobs that are asked for again and again.
DECIDING = "%windlass_keys%"


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """The same jobs with the same keys, in turns, on many connections."""
    with RedisServer() as redis:
        for name, place in ((PLAIN, None), (NAME, redis.url)):
            bench.say(name)
            async for sample in repeats(bench, name, place):
                yield sample


async def repeats(bench: Bench, name: str, redis: str | None) -> AsyncIterator[Sample]:
    """The rate, and what the database was asked meanwhile."""
    async with bench.fresh() as site:
        count_statements(site)
        async with serving(site, redis=redis) as server:
            requests = [
                server.request("POST", "/jobs", submission(n), {"Idempotency-Key": f"key {n}"})
                for n in range(KEYS)
            ]
            await load(site, server, requests, 0.5)
            asked, decided = statements(site), statements(site, DECIDING)
            loaded = await load(site, server, requests, bench.scale.calling)
            asked, decided = statements(site) - asked, statements(site, DECIDING) - decided
        [(kept,)] = site.ask("select count(*) from windlass_jobs")
        assert kept == KEYS
    answered = loaded.warm_up + loaded.answers.good
    yield Sample(name, loaded.answers.rate)
    yield Sample(f"{name}, statements", 1_000 * asked / answered)
    yield Sample(f"{name}, deciding", 1_000 * decided / answered)


MEASURE = Measure(
    name="redis_again",
    figures=(
        Figure(name=PLAIN, unit="requests/s"),
        Figure(name=f"{PLAIN}, statements", unit="per 1,000"),
        Figure(name=f"{PLAIN}, deciding", unit="per 1,000"),
        Figure(name=NAME, unit="requests/s", base=PLAIN, share=Bound(1.0)),
        Figure(name=f"{NAME}, statements", unit="per 1,000"),
        Figure(
            name=f"{NAME}, deciding",
            unit="per 1,000",
            asked={Dialect.POSTGRES: Bound(0, at_most=True)},
        ),
    ),
    take=take,
    dialects=frozenset({Dialect.POSTGRES}),
)
