"""Where in line to look for work, so that no claim walks past what earlier claims left behind.

A row that was claimed and settled stays in the index until vacuum removes it, and some transaction
elsewhere may hold vacuum back for minutes. A worker therefore remembers how far it has come, and
looks only where something new can stand: above that mark, and just behind the present of every
priority it has met lately. A sweep of the whole line now and then finds the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

Range: TypeAlias = tuple[int, int]

# Ranks are µs since 1970 shifted by priority; these two enclose them all.
LOWEST = -(2**62)
HIGHEST = 2**62
EVERYWHERE: tuple[Range, ...] = ((LOWEST, HIGHEST),)

# A commit may come this much later than the time that its row carries, before it waits for a sweep.
SLACK_US = 2_000_000
# A claim over 20 ranges costs 5 % more than one over a single range; beyond, the sweep must do.
MAX_PRIORITIES = 20
# A sweep may be as slow as a claim without marks: at most every 200 ms, and a tenth of the time.
# The way to the database and back is not its cost: any look takes that long.
SWEEP_EVERY = 0.2
SWEEP_SHARE = 10.0
# What just came does not wait for a sweep that takes longer than this.
COSTLY = 0.002


class Look(Struct, frozen=True, kw_only=True):
    """One claim, as it was asked for and answered."""

    swept: bool
    full: bool  # as many came as were asked for, so that more may be waiting
    now_us: int  # the database's time
    ended: float  # monotonic seconds
    took: float
    highest: int | None = None  # the last rank of those that came
    priorities: Iterable[int] = ()


class Marks(Struct, frozen=True, kw_only=True):
    """How far one worker has come along one line."""

    mark: int | None = None
    looked_us: int = 0
    priorities: Mapping[int, int] = field(default_factory=dict)  # with the time of the last, in µs
    next_sweep: float = 0.0
    wants_sweep: bool = False
    costly: bool = False  # the last sweep took so long that nobody should wait for one
    quickest: float = inf  # seconds that a look by marks took at least

    def sweeps(self, now: float) -> bool:
        """Whether the next claim, made now, looks at the whole line."""
        return self.mark is None or now >= self.next_sweep

    def ranges(self, now_us: int, aging_us: int) -> Sequence[Range]:
        """The ranks to look at between two sweeps: ascending, disjoint, the last one open."""
        if self.mark is None:
            return EVERYWHERE
        behind = [self._arrivals(priority, now_us, aging_us) for priority in self.priorities]
        below = [(low, min(high, self.mark)) for low, high in sorted(behind) if low < self.mark]
        return _joined([*below, (self.mark, HIGHEST)])

    def after(self, look: Look) -> Marks:
        """The marks after a claim.

        A full claim took everything up to its highest rank. A short one took everything there was,
        so that what comes next bears the present time or a later one, or a higher priority. The
        mark never comes closer to the present than a commit may lag behind its row's own time.
        """
        reached = look.highest if look.full and look.highest is not None else look.now_us
        marks = replace(
            self,
            mark=min(reached, look.now_us - SLACK_US),
            looked_us=look.now_us,
            priorities=self._met(look),
            wants_sweep=not look.full and not look.swept,
        )
        if not look.swept:
            return replace(marks, quickest=min(self.quickest, look.took))
        cost = self._cost(look)
        rest = max(SWEEP_EVERY, SWEEP_SHARE * cost)
        return replace(marks, next_sweep=look.ended + rest, costly=cost > COSTLY)

    def _cost(self, sweep: Look) -> float:
        """How much longer it took than a look by marks."""
        return sweep.took if self.quickest == inf else max(0.0, sweep.took - self.quickest)

    def _arrivals(self, priority: int, now_us: int, aging_us: int) -> Range:
        shift = priority * aging_us
        return self.looked_us - SLACK_US - shift, now_us + SLACK_US - shift

    def _met(self, look: Look) -> Mapping[int, int]:
        met = {**self.priorities, **dict.fromkeys(look.priorities, look.now_us)}
        if len(met) <= MAX_PRIORITIES:
            return met
        latest = sorted(met, key=lambda priority: (met[priority], priority))[-MAX_PRIORITIES:]
        return {priority: met[priority] for priority in latest}


def _joined(ranges: Iterable[Range]) -> Sequence[Range]:
    joined: list[Range] = []
    for low, high in ranges:
        if joined and low <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return joined
