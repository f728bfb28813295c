"""Looks at what failed, the newest first, for so many rows or so long, and groups what is alike."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

from msgspec.structs import replace

from windlass.clock import Clock
from windlass.core.faults import Fault, Groups
from windlass.core.job import JobId, State
from windlass.core.search import JobFilter, made_at
from windlass.store.faults import Dead, Failures
from windlass.store.looking import Looking
from windlass.store.paging import Paging, stretch
from windlass.store.records import LAST_ID
from windlass.store.rows import MICROSECOND, instant
from windlass.store.script import Row, Rows

HIGHEST_FENCE = 2**62


class Faults:
    """Reads faults in portions that are quick."""

    def __init__(self, read: Callable[..., Awaitable[Rows]], paging: Paging, clock: Clock) -> None:
        """`read` runs a statement by its name, `paging` finds ids; searches take turns there."""
        self._read = read
        self._paging = paging
        self._clock = clock

    async def dead(self, most: int) -> Dead:
        """The dead letters, grouped."""
        async with self._paging.turn:
            return await self._dead(most)

    async def failures(self, window: timedelta, most: int) -> Failures:
        """Attempts that failed lately, grouped."""
        async with self._paging.turn:
            return await self._failures(window, most)

    async def _dead(self, most: int) -> Dead:
        groups, looking = Groups(), Looking(self._clock)
        asked = stretch(JobFilter(states=frozenset({State.FAILED})))
        back_to: datetime | None = None
        while True:
            asked = replace(asked, limit=looking.portion)
            ids = (await self._paging.listed(asked)).ids
            groups.add(map(_fault, await self._read("faults", ids=ids) if ids else ()))
            over = looking.over(len(ids))
            if len(ids) < asked.limit:
                break
            asked = replace(asked, before=ids[-1])
            if over:
                back_to = made_at(ids[-1])
                break
        return Dead(await self._total(), groups.largest(most), looking.looked, back_to)

    async def _failures(self, window: timedelta, most: int) -> Failures:
        groups, looking = Groups(), Looking(self._clock)
        place: dict[str, Any] = {"job": LAST_ID, "fence": HIGHEST_FENCE}
        window_us = window // MICROSECOND
        while True:
            rows = looking.portion
            found = await self._read("faults_lately", **place, window_us=window_us, limit=rows)
            groups.add(_fault(row) for row in found if row["type"] is not None)
            over = looking.over(len(found))
            if len(found) < rows:
                return Failures(groups.largest(most), looking.looked, None)
            place = {"job": found[-1]["id"], "fence": found[-1]["fence"]}
            if over:
                back_to = made_at(JobId(place["job"]))
                return Failures(groups.largest(most), looking.looked, back_to)

    async def _total(self) -> int:
        counted = {row["state"]: int(row["jobs"]) for row in await self._read("counts_finished")}
        return counted.get(State.FAILED, 0)


def _fault(row: Row) -> Fault:
    job = JobId(str(row["id"]))
    return Fault(job, row["type"], row["queue"], row["error"], instant(row["finished_at"]))
