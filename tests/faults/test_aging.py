"""A stream of urgent jobs keeps the less urgent ones waiting as long as it may, and no longer."""

import asyncio
import time
from collections.abc import Callable
from datetime import timedelta
from itertools import count
from statistics import mean

import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.fleet import Site
from tests.faults.dose import dose

SECONDS = dose(short=4.0, full=300.0)
AGING = dose(short=0.15, full=2.0)  # seconds of waiting that are worth a point
URGENT = 9  # points above the others
LENGTH = 0.05
SLOTS = 4
BACKLOG = 60  # urgent jobs in line, always
EVERY = dose(short=0.3, full=1.0)  # comes one that is not
LATE = dose(short=3.0, full=0.5)  # what a machine with much else to do may take
# Jobs that were claimed together start in any order, and so do those of one line on many slots.
TOGETHER = dose(short=1.0, full=0.5)


class Asked:
    """When each job was asked for, and how urgently."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._numbers = count()
        self.at: dict[str, float] = {}
        self.priority: dict[str, int] = {}

    async def ask(self, priority: int, jobs: int = 1) -> None:
        """Ask for some."""
        urgent = self._site.works.rest.options(priority=priority)
        new = [urgent.job(next(self._numbers), LENGTH) for _ in range(jobs)]
        for job in new:
            self.at[job.id], self.priority[job.id] = time.time(), priority
        await self._site.enqueue(*new)

    def rank(self, job: str) -> float:
        """Where it stands in line; the lower the sooner."""
        return self.at[job] - self.priority[job] * AGING

    def urgent(self) -> list[str]:
        """Those that come first."""
        return [job for job, priority in self.priority.items() if priority]

    def patient(self) -> list[str]:
        """Those that are kept waiting, but for the last, after whom no urgent ones came."""
        until = max(self.at.values()) - AGING * URGENT
        return [job for job, at in self.at.items() if not self.priority[job] and at < until]

    async def urgently(self) -> None:
        """Keep a line of urgent ones."""
        while True:
            short = BACKLOG - (len(self._site.accepted) - len(self._site.ledger))
            if short > 0:
                await self.ask(URGENT, short)
            await asyncio.sleep(0.01)

    async def now_and_then(self) -> None:
        """Ask for one that is not urgent."""
        while True:
            await self.ask(0)
            await asyncio.sleep(EVERY)


@pytest.mark.timeout(400)
async def test_the_less_urgent_wait_as_long_as_aging_says_and_no_longer(
    postgres_site: Site, record_property: Callable[[str, object], None]
) -> None:
    site = postgres_site
    await site.app.set_aging(timedelta(seconds=AGING))
    await site.node(slots=SLOTS).ready()
    asked = Asked(site)

    streams = [asyncio.create_task(one) for one in (asked.urgently(), asked.now_and_then())]
    await asyncio.sleep(SECONDS)
    for stream in streams:
        stream.cancel()
    await asyncio.wait(streams)
    await site.all_finished()

    starts = {entry.job: entry.at for entry in site.ledger.entries()}
    waits = [starts[job] - asked.at[job] for job in asked.patient()]
    # However urgent a job is, those that stood in line before it come first.
    bound = AGING * URGENT + max(starts[job] - asked.at[job] for job in asked.urgent())
    passed = overtaken(asked, starts)
    record_property("jobs", len(starts))
    record_property("bound", f"{bound:.2f} s")
    record_property("longest wait", f"{max(waits):.2f} s")
    record_property("mean wait", f"{mean(waits):.2f} s")
    record_property("overtaken", passed)
    assert site.audit() == Audit()
    assert max(waits) <= bound + LATE
    assert mean(waits) >= AGING * URGENT / 2  # or the line was too short to prove anything
    assert passed == 0


def overtaken(asked: Asked, starts: dict[str, float]) -> int:
    """How many started long after one that stood behind them in line."""
    line = sorted(starts, key=lambda job: starts[job])
    found = 0
    for place, job in enumerate(line):
        since = starts[job]
        found += any(
            asked.rank(other) < asked.rank(job) - TOGETHER and asked.at[other] < since - TOGETHER
            for other in line[place + SLOTS : place + 20 * SLOTS]
            if starts[other] > since + TOGETHER
        )
    return found
