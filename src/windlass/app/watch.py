"""Waits for jobs to finish: one look at the store for everybody who waits."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from windlass.app.pile import Pile
from windlass.core.job import Job, JobId

Look: TypeAlias = Callable[[list[JobId]], Awaitable[list[Job | None]]]

# Most jobs that somebody waits for are short; for the others a late answer is still timely.
TICK = 0.05
LONGEST_TICKS = 16
# A look comes at most a tenth of the waiting too late.
LOOKS = 10


class Watcher:
    """Looks at jobs until they are finished."""

    def __init__(self, look: Look) -> None:
        """`look` reads jobs by their ids; in the place of one that is gone it answers None."""
        self._pile = Pile(look)

    async def finished(self, job_id: JobId) -> Job | None:
        """The job once it is finished, or None if it is not there."""
        began = asyncio.get_running_loop().time()
        while True:
            job = await self._pile.add(job_id)
            if job is None or job.state.finished:
                return job
            await _next_tick(began)


async def _next_tick(began: float) -> None:
    """Wait for a tick that everybody shares, so that one look serves them all."""
    now = asyncio.get_running_loop().time()
    tick = TICK * _ticks(now - began)
    await asyncio.sleep(tick - now % tick)


def _ticks(waited: float) -> int:
    """How many ticks to wait: a power of two, so that slower waiters meet the quicker ones."""
    doublings = int(math.log2(max(waited / (LOOKS * TICK), 1)))
    return min(1 << doublings, LONGEST_TICKS)
