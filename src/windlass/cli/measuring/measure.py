"""The measurements: enqueue, drain, pick-up."""

from __future__ import annotations

import asyncio

from windlass.cli.bars import Show
from windlass.cli.measuring.figures import Figures, percentile
from windlass.clock import SystemClock
from windlass.core.job import State
from windlass.wiring import Windlass

BATCH = 1_000
PICK_UPS = 200
# How much of the bar is full when the jobs are in, and when they are done.
IN, DONE = 0.3, 0.9
LOOK = 0.02


class Measurement:
    """One run on a store that nobody else uses."""

    def __init__(self, app: Windlass, show: Show) -> None:
        """Declare a type of job that does nothing but say when it began."""
        self._app = app
        self._show = show
        self._clock = SystemClock()
        self._begun: asyncio.Queue[float] = asyncio.Queue()
        self._nothing = app.job(self.nothing)

    async def nothing(self) -> None:
        """The job: says when it began, and is done."""
        self._begun.put_nowait(self._clock.monotonic())

    async def run(self, jobs: int) -> Figures:
        """Put the jobs in, let a worker run them, then see how soon it begins a new one."""
        enqueuing = await self._enqueue(jobs)
        async with self._app.worker():
            draining = await self._drain(jobs)
            waits = sorted([await self._pick_up(number) for number in range(PICK_UPS)])
        return Figures(
            store=self._app.storehouse.address.dialect,
            jobs=jobs,
            enqueued_per_second=round(jobs / enqueuing),
            drained_per_second=round(jobs / draining),
            pick_up_p50_ms=round(percentile(waits, 0.5) * 1000, 2),
            pick_up_p99_ms=round(percentile(waits, 0.99) * 1000, 2),
        )

    async def _enqueue(self, jobs: int) -> float:
        began = self._clock.monotonic()
        for done in range(0, jobs, BATCH):
            self._show(IN * done / jobs, "putting jobs in")
            batch = min(BATCH, jobs - done)
            await self._app.enqueue_many([self._nothing.job() for _ in range(batch)])
        return self._clock.monotonic() - began

    async def _drain(self, jobs: int) -> float:
        began = self._clock.monotonic()
        while (done := (await self._app.stats())[State.COMPLETED]) < jobs:
            self._show(IN + (DONE - IN) * done / jobs, "running them")
            await asyncio.sleep(LOOK)
        took = self._clock.monotonic() - began
        while not self._begun.empty():
            self._begun.get_nowait()
        return took

    async def _pick_up(self, number: int) -> float:
        self._show(DONE + (1 - DONE) * number / PICK_UPS, "seeing how soon a new one begins")
        began = self._clock.monotonic()
        await self._nothing.enqueue()
        return await self._begun.get() - began
