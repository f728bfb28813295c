"""How fast a worker calls webhooks, and how much a host that is not well slows the others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import cycle
from typing import NamedTuple

from benchmarks.draining import EVERY
from benchmarks.figure import Bound, Dialect, Figure
from benchmarks.measure import Bench, Measure, Sample
from benchmarks.program import Program, ProgramFailed, program
from benchmarks.receivers import receiving
from benchmarks.sites import Site
from windlass import NewJob, Windlass

CALLS = 10_000
BATCH = 1_000
DEAD = 10  # beside so many calls one goes to the host that is not well
STALLED = 120.0
APP = "windlass.wiring.basic:app"


class Called(NamedTuple):
    """Calls per second, of those that were answered, and µs of CPU time for each."""

    rate: float
    worker_cpu: float


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """Ten thousand calls to healthy hosts, without and with some to one that is not."""
    async with receiving() as hosts:
        kinds = {
            "webhooks": None,
            "webhooks, a silent host": hosts.silent,
            "webhooks, a refusing host": hosts.refusing,
        }
        for name, dead in kinds.items():
            async with bench.fresh() as site:
                bench.say(f"{name}: loading {CALLS:,} calls")
                await load(site, hosts.healthy, dead)
                site.settle_down()
                called = await call(site, bench)
            yield Sample(name, called.rate)
            yield Sample(f"{name}, worker", called.worker_cpu)


async def load(site: Site, healthy: list[str], dead: str | None) -> None:
    """Put the calls in line, those to the dead host among the others."""
    async with Windlass(site.url, builtins=True) as app:
        jobs: list[NewJob] = []
        for number, url in zip(range(CALLS), cycle(healthy), strict=False):
            jobs.append(app.job_of("webhook", {"url": url, "body": {"number": number}}))
            if dead and number % DEAD == 0:
                jobs.append(app.job_of("webhook", {"url": dead, "timeout": 300}))
        for at in range(0, len(jobs), BATCH):
            await app.enqueue_many(jobs[at : at + BATCH])


async def call(site: Site, bench: Bench) -> Called:
    """Let a worker make all calls, and check that each was answered once."""
    [(first,)] = site.ask("select cast(id as text) from windlass_jobs order by id limit 1")
    env = {
        "WINDLASS_STORE": site.url,
        "WINDLASS_LOG": "error",
        "WINDLASS_WEBHOOK_ALLOW": "loopback",
        "WINDLASS_DRAIN": "0s",
    }
    async with program("worker", "--app", APP, env=env) as worker, asyncio.timeout(STALLED):
        cpu = await watched(site, worker, bench)
    # Not all by their first attempt: one that has no turn on a slow machine steps back.
    count, _, seconds = site.ask_file("ended", first=first)[0]
    [(well,)] = site.ask("select count(*) from windlass_history where state = 'completed'")
    if (count, well) != (CALLS, CALLS):
        raise ProgramFailed(f"of {CALLS} calls {count} ended, {well} of them well")
    return Called(CALLS / float(seconds), cpu)


async def watched(site: Site, worker: Program, bench: Bench) -> float:
    """The µs of each call, from the first ones on, so that loading the program does not count."""
    moments: list[tuple[int, float]] = []
    done = 0
    while done < CALLS:
        await asyncio.sleep(EVERY)
        worker.check()
        done, spent = finished(site), worker.cpu()
        bench.say(f"{done:,} of {CALLS:,} calls")
        if done:
            moments.append((done, spent))
    (first, begun), (last, ended) = moments[0], moments[-1]
    return (ended - begun) / max(last - first, 1) * 1e6


def finished(site: Site) -> int:
    """How many calls were answered."""
    [(calls,)] = site.ask("select count(*) from windlass_history")
    return int(calls)


def beside(name: str) -> tuple[Figure, ...]:
    """A dead host slows the healthy ones by a fifth at most."""
    rate = Figure(name=name, unit="calls/s", base="webhooks", share=Bound(0.8))
    return rate, Figure(name=f"{name}, worker", unit="µs CPU/call")


MEASURE = Measure(
    name="webhooks",
    figures=(
        Figure(
            name="webhooks",
            unit="calls/s",
            asked={Dialect.POSTGRES: Bound(3_000), Dialect.SQLITE: Bound(3_000)},
        ),
        Figure(name="webhooks, worker", unit="µs CPU/call"),
        *beside("webhooks, a silent host"),
        *beside("webhooks, a refusing host"),
    ),
    take=take,
)
