"""Remembers how things went: differences of totals, and the times of a few jobs.

Nothing here is asked of whoever settles or enqueues. Whoever beats reads what they have counted
anyway, and writes what it makes of that together with what it had read: so it may die anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from windlass.clock import Clock
from windlass.core.census import RETRIED, Census
from windlass.core.flow import Passed, Snapshot, anchored, rates, seen
from windlass.core.job import State
from windlass.core.trend import (
    GRAINS,
    SECOND_US,
    Cell,
    Reading,
    Tally,
    Window,
    begins,
    joined,
    stepped,
    tallied,
)
from windlass.store.rows import microseconds
from windlass.store.script import Row, Rows, Script, Statement
from windlass.store.sql_totals import SqlTotals
from windlass.store.trends import Pulse, Trend

EVERY_US = 5 * SECOND_US
# Who comes a little early shall not wait for a whole turn more.
EARLY_US = EVERY_US // 10
# Counting what is live takes at most a fiftieth of the time.
RESTS = 50
# So many queues are told of, and the times of jobs of so many kinds are looked at.
MOST_QUEUES = 1_000
MOST_CELLS = 50

_pulse = msgspec.json.Decoder(Pulse)
_tally = msgspec.json.Decoder(Tally)
_sample = msgspec.json.Decoder(list[tuple[float, float]])


class SqlTrends(SqlTotals):
    """Writes and reads trends; see `Trends` for what each verb promises."""

    clock: Clock

    async def beat(self) -> float:
        """Remember what happened since the last time."""
        [row] = await self._read("pulse")
        before, now_us = _read(row), microseconds(row["now"])
        age_us = now_us - before.reading.at_us if before else EVERY_US
        if age_us < EVERY_US - EARLY_US:
            # A clock that was set back makes nobody wait for longer than usual.
            return min(EVERY_US - age_us, EVERY_US) / SECOND_US
        since_us = before.reading.at_us if before else now_us
        census = await self.census(rests=RESTS)
        queues = await self._read("beat_queues", most=MOST_QUEUES)
        cells = await self._read("beat_cells", since_us=since_us, most=MOST_CELLS)
        reading = _reading(await self._read("beat_states"), census)
        snapshot = _snapshot(reading, census, queues)
        await self.database.run(_keep(before, reading, snapshot, [_cell(row) for row in cells]))
        return EVERY_US / SECOND_US

    async def pulse(self) -> Pulse | None:
        """What was counted last."""
        [row] = await self._read("pulse")
        return _read(row)

    async def trend(self, window: Window) -> Trend:
        """How things went lately."""
        [row] = await self._read("pulse")
        now_us, pulse = microseconds(row["now"]), _read(row)
        since_us = begins(window, now_us)
        found = await self._read("trend", grain=window.grain, since_us=since_us)
        tallies = {int(row["at_us"]): _tally.decode(row["document"]) for row in found}
        until_us = pulse.reading.at_us if pulse else now_us
        return Trend(now_us, since_us, until_us, stepped(window, since_us, tallies))


def _keep(
    before: Pulse | None, reading: Reading, snapshot: Snapshot, cells: list[Cell]
) -> Script[None]:
    """Write what happened, unless somebody else has done so meanwhile."""
    [row] = yield Statement("pulse_hold")
    if _read(row) != before:
        return
    if before is not None and reading.at_us > before.reading.at_us:
        for grain, kept in GRAINS.items():
            tallies = tallied(before.reading, reading, cells, grain)
            found = yield Statement("trend", {"grain": grain, "since_us": min(tallies)})
            yield _written(grain, tallies, found)
            oldest = reading.at_us - kept * SECOND_US
            yield Statement("trend_prune", {"grain": grain, "before_us": oldest})
    pulse = _taken(before, reading, snapshot)
    yield Statement("pulse_keep", {"document": _text(pulse)})


def _written(grain: int, tallies: Mapping[int, Tally], found: Rows) -> Statement:
    known = {int(row["at_us"]): _tally.decode(row["document"]) for row in found}
    rows = [
        (grain, at_us, _text(joined(known[at_us], tally) if at_us in known else tally))
        for at_us, tally in tallies.items()
    ]
    return Statement("trend_keep", columns=("grain", "at_us", "document"), rows=rows)


def _taken(before: Pulse | None, reading: Reading, snapshot: Snapshot) -> Pulse:
    if before is None or reading.at_us <= before.reading.at_us:
        return Pulse(reading=reading, anchors=[snapshot], seen=seen(snapshot, snapshot, {}))
    return Pulse(
        reading=reading,
        anchors=anchored(before.anchors, snapshot),
        rates=rates(before.anchors[0], snapshot, before.rates),
        seen=seen(before.anchors[0], snapshot, before.seen),
    )


def _read(row: Row) -> Pulse | None:
    return _pulse.decode(row["document"]) if row["document"] else None


def _text(value: Pulse | Tally) -> str:
    return msgspec.json.encode(value).decode()


def _reading(rows: Rows, census: Census) -> Reading:
    ended = {row["state"]: int(row["ended"]) for row in rows}
    return Reading(
        at_us=microseconds(rows[0]["now"]),
        completed=ended.get(State.COMPLETED, 0),
        dead=ended.get(State.FAILED, 0),
        retried=ended.get(RETRIED, 0),
        cancelled=ended.get(State.CANCELLED, 0),
        running=ended.get(State.RUNNING, 0),
        counted_us=census.counted_us,
        enqueued=sum(line.submitted for line in census.lines),
        pending=sum(line.pending for line in census.lines),
    )


def _snapshot(reading: Reading, census: Census, queues: Iterable[Any]) -> Snapshot:
    passed: dict[str, Passed] = {}
    for line in census.lines[:MOST_QUEUES]:
        entered = passed.get(line.queue, Passed(0, 0)).entered + line.submitted
        passed[line.queue] = Passed(entered, 0)
    for row in queues:
        entered = passed.get(row["queue"], Passed(0, 0)).entered + int(row["revived"])
        passed[row["queue"]] = Passed(entered, int(row["left_it"]))
    return Snapshot(at_us=reading.at_us, counted_us=reading.counted_us, queues=passed)


def _cell(row: Row) -> Cell:
    sample = _sample.decode(row["sample"]) if row["sample"] else []
    return Cell(int(row["jobs"]), int(row["waited_us"]), int(row["ran_us"]), sample)
