"""What the fleet has done, counted once for everybody who asks."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from windlass.clock import Clock
from windlass.core.census import Census, Counted, Line, Total, drawn
from windlass.core.job import JobId
from windlass.core.trend import SECOND_US
from windlass.store.asking import Asking
from windlass.store.rows import instant, microseconds
from windlass.store.script import Row, Script, Statement
from windlass.store.totals import Glance, Newest, Step

# A count that takes longer than this is made again only after so many times its cost: however many
# jobs wait, counting them takes no more than a twentieth of the time.
CHEAP_US = 10_000
RESTS = 20

_lines = msgspec.json.Decoder(list[Line])


class SqlTotals(Asking):
    """Reads totals and keeps the census; see `Totals` for what each verb promises."""

    clock: Clock

    async def totals(self) -> list[Total]:
        """How many jobs and attempts ever came to which end."""
        return [_total(row) for row in await self._read("totals")]

    async def census(self, *, rests: int = RESTS) -> Census:
        """What is live and what was submitted."""
        [row] = await self._read("census")
        if not _due(row, rests):
            return _census(row)
        began = self.clock.monotonic()
        counted = [_counted(row) for row in await self.database.survey(Statement("census_count"))]
        cost_us = round((self.clock.monotonic() - began) * SECOND_US)
        return await self.database.run(_keep(counted, cost_us))

    async def newest(self) -> list[Newest]:
        """The two hundred newest jobs, live and finished."""
        return [Newest(row["id"], row["state"], row["fence"]) for row in await self._read("newest")]

    async def glance(self, ids: Sequence[JobId]) -> list[Glance]:
        """How these jobs stand."""
        return [_glance(row) for row in await self._read("glance", ids=list(ids))]


def _due(row: Row, rests: int) -> bool:
    age_us = microseconds(row["now"]) - microseconds(row["counted_at"])
    return age_us >= _pace_us(row["cost_us"], rests)


def _pace_us(cost_us: int, rests: int) -> int:
    return SECOND_US if cost_us <= CHEAP_US else max(rests * cost_us, SECOND_US)


def _keep(counted: Sequence[Counted], cost_us: int) -> Script[Census]:
    [row] = yield Statement("census_hold")
    lines = drawn(_lines.decode(row["lines"]), counted)
    text = msgspec.json.encode(lines).decode()
    yield Statement("census_keep", {"cost_us": cost_us, "lines": text})
    return Census(counted_us=microseconds(row["now"]), lines=lines)


def _census(row: Row) -> Census:
    return Census(counted_us=microseconds(row["counted_at"]), lines=_lines.decode(row["lines"]))


def _total(row: Row) -> Total:
    ended, waited_us, ran_us = int(row["ended"]), int(row["waited_us"]), int(row["ran_us"])
    return Total(row["queue"], row["type"], row["state"], ended, waited_us, ran_us)


def _counted(row: Row) -> Counted:
    oldest = row["oldest_at"]
    oldest_us = None if oldest is None else microseconds(oldest)
    return Counted(row["queue"], row["type"], row["state"], int(row["jobs"]), oldest_us)


def _glance(row: Row) -> Glance:
    step = None
    if row["fraction"] is not None:
        step = Step(row["fraction"], row["message"], instant(row["at"]))
    cancel_requested = bool(row["cancel_requested"])
    return Glance(row["id"], row["state"], row["lane"], row["fence"], cancel_requested, step)
