"""How fast a worker calls webhooks, and how much a host that never answers slows the others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import cycle

from benchmarks.draining import EVERY
from benchmarks.figure import Bound, Dialect, Figure
from benchmarks.measure import Bench, Measure, Sample
from benchmarks.program import ProgramFailed, program
from benchmarks.receivers import Receivers, receiving
from benchmarks.sites import Site
from windlass import NewJob, Windlass

CALLS = 10_000
BATCH = 1_000
SILENT = 10  # one call in so many goes to the host that never answers
STALLED = 120.0
APP = "windlass.wiring.basic:app"


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """Ten thousand calls, without and with a silent host."""
    async with receiving() as hosts:
        for figure, silent in (("webhooks", False), ("webhooks, a silent host", True)):
            async with bench.fresh() as site:
                bench.say(f"{figure}: loading {CALLS:,} calls")
                await load(site, hosts, silent=silent)
                site.settle_down()
                yield Sample(figure, await call(site, bench))


async def load(site: Site, hosts: Receivers, *, silent: bool) -> None:
    """Put the calls in line, those to the silent host among the others."""
    async with Windlass(site.url, builtins=True) as app:
        jobs: list[NewJob] = []
        for number, url in zip(range(CALLS), cycle(hosts.healthy), strict=False):
            jobs.append(app.job_of("webhook", {"url": url, "body": {"number": number}}))
            if silent and number % SILENT == 0:
                jobs.append(app.job_of("webhook", {"url": hosts.silent, "timeout": 300}))
        for at in range(0, len(jobs), BATCH):
            await app.enqueue_many(jobs[at : at + BATCH])


async def call(site: Site, bench: Bench) -> float:
    """Calls per second, of those that were answered."""
    [(first,)] = site.ask("select cast(id as text) from windlass_jobs order by id limit 1")
    env = {
        "WINDLASS_STORE": site.url,
        "WINDLASS_LOG": "warning",
        "WINDLASS_WEBHOOK_ALLOW": "loopback",
        "WINDLASS_DRAIN": "0s",
    }
    async with program("worker", "--app", APP, env=env) as worker, asyncio.timeout(STALLED):
        while (done := finished(site)) < CALLS:
            worker.check()
            bench.say(f"{done:,} of {CALLS:,} calls")
            await asyncio.sleep(EVERY)
    count, clean, seconds = site.ask_file("ended", first=first)[0]
    if (count, clean) != (CALLS, CALLS):
        raise ProgramFailed(f"of {CALLS} calls {count} ended, {clean} of them well")
    return CALLS / float(seconds)


def finished(site: Site) -> int:
    """How many calls were answered."""
    [(calls,)] = site.ask("select count(*) from windlass_history")
    return int(calls)


MEASURE = Measure(
    name="webhooks",
    figures=(
        Figure(
            name="webhooks",
            unit="calls/s",
            asked={Dialect.POSTGRES: Bound(3_000), Dialect.SQLITE: Bound(3_000)},
        ),
        Figure(
            name="webhooks, a silent host",
            unit="calls/s",
            base="webhooks",
            share=Bound(0.8),
        ),
    ),
    take=take,
)
