"""Where the time between an enqueue and the first line of its handler goes, step by step."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from benchmarks.sites import Site
from windlass.store.records import Claimed, Demand
from windlass.store.sql_store import SqlStore
from windlass.worker.worker import Worker

if TYPE_CHECKING:
    from benchmarks.jobs import Jobs

# Set where a worker process shall take note of them.
TRACED = "BENCH_TRACED"
STEPS = ("enqueue answered", "worker woken", "claim sent", "claim answered", "handler begins")


@dataclass(slots=True)
class Noted:
    """When this process last was woken, asked for jobs that came, and had them."""

    woken: float = 0.0
    asked: float = 0.0
    claimed: float = 0.0


NOTED = Noted()


def take_note() -> None:
    """Have this process take note of the steps of its worker, if the measure wants to know."""
    if TRACED not in os.environ:
        return
    ring, hand, claim = Worker.ring, Worker.hand, SqlStore.claim

    def handed(worker: Worker, news: str) -> None:
        # There is nothing to claim: it has the job as soon as it is woken.
        NOTED.woken = NOTED.asked = NOTED.claimed = time.monotonic()
        hand(worker, news)

    def rung(worker: Worker, *, wide: bool = True) -> None:
        NOTED.woken = time.monotonic()
        ring(worker, wide=wide)

    async def claimed(store: SqlStore, demand: Demand) -> Claimed:
        asked = time.monotonic()
        answer = await claim(store, demand)
        if answer.claims:
            NOTED.asked, NOTED.claimed = asked, time.monotonic()
        return answer

    noting = ((Worker, "ring", rung), (Worker, "hand", handed), (SqlStore, "claim", claimed))
    for owner, name, noted in noting:
        setattr(owner, name, noted)


async def trace() -> list[float]:
    """When each step was, as far as the worker knows; the handler begins here."""
    begun = time.monotonic()
    return [min(NOTED.woken, NOTED.asked), NOTED.asked, NOTED.claimed, begun]


async def traced(jobs: Jobs, site: Site, count: int, apart: float) -> list[list[float]]:
    """For each of so many jobs, one by one, how many milliseconds each step took."""
    called: dict[str, tuple[float, float]] = {}
    for _ in range(count):
        began = time.monotonic()
        job = await jobs.trace.enqueue()
        called[job.id] = began, time.monotonic()
        await asyncio.sleep(apart)
    while True:
        found = site.ask("select cast(id as text), cast(result as text) from windlass_history")
        if len(found) == count:
            return [_steps(*called[job], msgspec.json.decode(result)) for job, result in found]
        await asyncio.sleep(0.1)


def _steps(called: float, answered: float, noted: Sequence[float]) -> list[float]:
    moments = [called, answered, *noted]
    return [1000 * (after - before) for before, after in pairwise(moments)]
