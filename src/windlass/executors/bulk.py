"""Retries, cancels or deletes all jobs that fit a query, chunk by chunk.

Each chunk commits together with the place after it, and only under this attempt's claim. So the
attempt may end anywhere: the next one goes on from the last chunk that was committed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Protocol

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from windlass.clock import Clock
from windlass.core import bulk
from windlass.core.bulk import (
    BULK_CRASHES,
    BULK_QUEUE,
    BULK_TYPE,
    SLOWEST,
    Action,
    Chunk,
    Place,
    Step,
)
from windlass.core.errors import AlreadyKept, BadInput, Busy
from windlass.core.job import JobId
from windlass.core.rank import MAX_PRIORITY
from windlass.core.search import JobFilter
from windlass.executors.base import Discard, Snooze
from windlass.executors.context import Context

# When to try again if the chunk could not have the jobs that somebody else is changing.
BUSY_PAUSE = 1.0


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What to do with which jobs."""

    action: Annotated[Action, Meta(examples=["retry"])]
    filter: Annotated[
        str,
        Meta(
            min_length=1,
            description="Which jobs, in the words that lists are asked for with.",
            examples=['status:failed type:email age:<2h error:"timed out"'],
        ),
    ]
    rate: Annotated[float, Meta(ge=SLOWEST, description="Jobs a second, at most.")] | None = None


class Tally(msgspec.Struct, frozen=True):
    """What came of it."""

    matched: int
    changed: int


class Found(Protocol):
    """Jobs that fit a query, the newest first."""

    @property
    def ids(self) -> Sequence[JobId]:
        """Which they are."""
        ...

    @property
    def next(self) -> JobId | None:
        """Where to look on; None if there are no more."""
        ...


class Jobs(Protocol):
    """What an action needs of the store."""

    async def place(self, job_id: JobId, fence: int) -> Place:
        """Where the action goes on, or begins: with the jobs that are there now.

        Refuses, with `ClaimLost`, an attempt whose claim is stale.
        """
        ...

    async def matching(self, which: JobFilter) -> Found:
        """Some of the jobs that fit, the newest first."""
        ...

    async def size(self, which: JobFilter) -> int:
        """How many jobs there are of these states, this type and this queue."""
        ...

    async def advance(self, chunk: Chunk) -> Step:
        """Change those jobs of a chunk that still fit, and move the place past it, in one commit.

        Refuses, with `ClaimLost`, an attempt whose claim is stale: then nothing is changed.
        """
        ...


class Bulk:
    """The executor of bulk actions."""

    type = BULK_TYPE
    queue = BULK_QUEUE
    priority = MAX_PRIORITY
    max_crashes = BULK_CRASHES

    def __init__(self, jobs: Jobs, ring: Callable[[Step], Awaitable[None]], clock: Clock) -> None:
        """Change `jobs`, and `ring` for those that became pending or are to stop."""
        self._jobs = jobs
        self._ring = ring
        self._clock = clock

    async def execute(self, order: Order, ctx: Context) -> Tally:
        """Go on from where the last attempt was, to the end."""
        try:
            place = await self._walk(order, ctx)
        except BadInput as problem:
            raise Discard(str(problem)) from problem
        except (Busy, AlreadyKept) as problem:
            raise Snooze(BUSY_PAUSE) from problem
        return Tally(place.matched, place.changed)

    async def _walk(self, order: Order, ctx: Context) -> Place:
        place = await self._jobs.place(ctx.id, ctx.fence)
        # Ages are counted back from the beginning, also by an attempt that comes later.
        which = bulk.wanted(order.action, order.filter, place.until)
        which = replace(which, limit=bulk.at_once(order.rate))
        size = place.matched + await self._jobs.size(which)
        while not place.over:
            begun = self._clock.monotonic()
            before, place = place, await self._step(order.action, which, place, ctx)
            ctx.progress(place.matched / max(size, place.matched, 1), told(place))
            done = place.matched - before.matched
            await asyncio.sleep(bulk.pause(done, order.rate, self._clock.monotonic() - begun))
        return place

    async def _step(self, action: Action, which: JobFilter, place: Place, ctx: Context) -> Place:
        found = await self._jobs.matching(replace(which, before=place.before))
        step = await self._jobs.advance(
            Chunk(
                job=ctx.id,
                fence=ctx.fence,
                action=action,
                states=which.states,
                ids=found.ids,
                place=place,
                before=found.next,
            )
        )
        await self._ring(step)
        return step.place


def told(place: Place) -> str:
    """How far it has come, for people."""
    return f"{place.matched:,} jobs matched, {place.changed:,} changed"
