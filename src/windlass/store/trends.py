"""What is remembered of how things went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from msgspec import Struct, field

from windlass.core.flow import Rates, Snapshot
from windlass.core.trend import Reading, Tally, Window

# Older than this, what was counted tells nothing of now.
GOOD_US = 30_000_000


class Pulse(Struct, frozen=True, kw_only=True):
    """What had been counted when the trends were last written, and how fast queues were then."""

    reading: Reading
    anchors: Sequence[Snapshot] = ()
    rates: Mapping[str, Rates] = field(default_factory=dict)
    seen: Mapping[str, int] = field(default_factory=dict)  # when each queue last had jobs, in µs

    def is_of(self, now_us: int) -> bool:
        """Whether it tells of this moment."""
        return now_us - self.reading.at_us <= GOOD_US


class Trend(NamedTuple):
    """The steps of a window, and when the first begins; the last one ends at `until_us`."""

    now_us: int
    since_us: int
    until_us: int
    steps: Sequence[Tally | None]


class Trends(Protocol):
    """What is remembered of how things went."""

    async def beat(self) -> float:
        """Remember what happened since the last time, once for the whole fleet.

        Whoever comes too early does nothing. Answers with the seconds until it is time again.
        Nothing is counted twice or left out, whenever whoever does this dies.
        """
        ...

    async def pulse(self) -> Pulse | None:
        """What was counted last; None if that never happened."""
        ...

    async def trend(self, window: Window) -> Trend:
        """How things went lately."""
        ...
