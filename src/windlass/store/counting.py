"""Counts live jobs: on the spot while that is cheap, else seldom, and once for the whole fleet."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from windlass.clock import Clock
from windlass.core.job import LIVE, State
from windlass.store import rows
from windlass.store.asking import Asking
from windlass.store.base import Database
from windlass.store.script import Row, Rows, Statement

# A count that took longer than this, of so many jobs that it was not the machine's fault …
CHEAP = 0.01
MANY = 50_000
# … is made again only after so many times as long.
RESTS = 20


class LiveCounts(NamedTuple):
    """How many jobs are in each live state, and when that was so."""

    states: Mapping[State, int]
    counted_at: datetime


class Counting(Asking):
    """Knows when to count, and when the last count will do."""

    def __init__(self, database: Database, clock: Clock) -> None:
        """`clock` only measures how long a count takes."""
        self.database = database
        self._clock = clock

    async def live(self) -> LiveCounts:
        """The live jobs, by state."""
        [last] = await self._read("counts_last")
        kept = last["counted_at"] is not None
        if kept and (last["good"] or not await self.take_turn()):
            return _of(last)
        began = self._clock.monotonic()
        states = _counted(await self.database.survey(Statement("counts_live")))
        took = self._clock.monotonic() - began
        if took > CHEAP and sum(states.values()) >= MANY:
            await self._keep(states, took)
        elif kept:
            await self._write("counts_forget")
        return LiveCounts(states, rows.instant(last["now"]))

    async def take_turn(self) -> bool:
        """Whether it is now up to the caller to count."""
        return bool(await self._write("counts_turn", rests=RESTS))

    async def _keep(self, states: Mapping[State, int], took: float) -> None:
        counted = {state.value: count for state, count in states.items()}
        await self._write("counts_keep", **counted, took_us=round(took * 1e6), rests=RESTS)


def _counted(found: Rows) -> dict[State, int]:
    states = dict.fromkeys(sorted(LIVE), 0)
    return states | {State(row["state"]): int(row["jobs"]) for row in found}


def _of(last: Row) -> LiveCounts:
    states = {state: int(last[state.value]) for state in sorted(LIVE)}
    return LiveCounts(states, rows.instant(last["counted_at"]))
