"""Looks at what failed, the newest first, for so many rows or so long, and groups what is alike."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from windlass.clock import Clock
from windlass.core.faults import Fault, Groups
from windlass.core.job import JobId, State
from windlass.core.search import JobFilter, made_at
from windlass.store.faults import Dead, Failures
from windlass.store.paging import FEW, LAST_ID, LOOK, PATIENCE, Paging, more, stretch
from windlass.store.rows import MICROSECOND, instant
from windlass.store.script import Row, Rows

HIGHEST_FENCE = 2**62


@dataclass(slots=True)
class Patience:
    """How much of the looking is done: it ends after so many rows, or so many seconds."""

    clock: Clock
    began: float
    looked: int = 0

    def over(self, rows: int) -> bool:
        """Whether to stop after so many rows more."""
        self.looked += rows
        return self.looked >= LOOK or self.clock.monotonic() - self.began >= PATIENCE


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
        groups, patience = Groups(), self._patience()
        asked, rows = stretch(JobFilter(states=frozenset({State.FAILED}))), FEW
        back_to: datetime | None = None
        while True:
            since = self._clock.monotonic()
            ids = (await self._paging.listed(replace(asked, limit=rows))).ids
            groups.add(map(_fault, await self._read("faults", ids=ids) if ids else ()))
            over = patience.over(len(ids))
            if len(ids) < rows:
                break
            asked = replace(asked, before=ids[-1])
            if over:
                back_to = made_at(ids[-1])
                break
            rows = more(rows, self._clock.monotonic() - since)
        return Dead(await self._total(), groups.largest(most), patience.looked, back_to)

    async def _failures(self, window: timedelta, most: int) -> Failures:
        groups, patience = Groups(), self._patience()
        place: dict[str, Any] = {"job": LAST_ID, "fence": HIGHEST_FENCE}
        window_us, rows = window // MICROSECOND, FEW
        while True:
            since = self._clock.monotonic()
            found = await self._read("faults_lately", **place, window_us=window_us, limit=rows)
            groups.add(_fault(row) for row in found if row["type"] is not None)
            over = patience.over(len(found))
            if len(found) < rows:
                return Failures(groups.largest(most), patience.looked, None)
            place = {"job": found[-1]["id"], "fence": found[-1]["fence"]}
            if over:
                back_to = made_at(JobId(place["job"]))
                return Failures(groups.largest(most), patience.looked, back_to)
            rows = more(rows, self._clock.monotonic() - since)

    async def _total(self) -> int:
        counted = {row["state"]: int(row["jobs"]) for row in await self._read("counts_finished")}
        return counted.get(State.FAILED, 0)

    def _patience(self) -> Patience:
        return Patience(self._clock, self._clock.monotonic())


def _fault(row: Row) -> Fault:
    job = JobId(str(row["id"]))
    return Fault(job, row["type"], row["queue"], row["error"], instant(row["finished_at"]))
