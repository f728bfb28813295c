"""Where a worker stands in one lane."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from msgspec import Struct, field

from windlass.core.job import Lane
from windlass.core.marks import EVERYWHERE, Look, Marks, Range

# How soon a lane that was empty is looked at again though a bell rings: it rings for all lanes.
PROBE = 0.05
# How much later than need be a line is swept when something came by the marks: what rang for that
# has been answered.
LULL = 0.5
LONG_AGO = float("-inf")


class Front(Struct, kw_only=True):
    """Where a worker stands in one lane, looking for the types that run in certain ways."""

    lane: Lane
    types: Sequence[str]
    marked: bool  # whether it looks by marks, and not always at the whole line
    queues: Sequence[str] | None = None  # None: every queue
    due: float = LONG_AGO  # when to look again; a bell makes it sooner
    empty_since: float = LONG_AGO
    marks: Marks = field(default_factory=Marks)
    news: bool = False  # a bell rang after the last look found the line empty

    def look_at(self, now: float, now_us: int, aging_us: int) -> tuple[Sequence[Range], bool]:
        """Which ranks to look at, and whether those are all.

        What a bell rings for is new, and stands where the marks say: it does not wait for a sweep
        that takes long, which comes right after.
        """
        if not self.marked or not now_us:
            return EVERYWHERE, True
        if self.marks.sweeps(now) and not (self.news and self.marks.costly):
            return EVERYWHERE, True
        return self.marks.ranges(now_us, aging_us), False

    def answered(self, look: Look, came: int, *, poll: float) -> None:
        """Take note of a claim's answer, and decide when to look again."""
        self.news = False
        if look.now_us:
            self.marks = self.marks.after(look)
        if not came:
            self.empty_since = look.ended
        # Jobs too wide for what is free make a claim of lane `threads` short that is not.
        if look.full or (came and self.lane is Lane.THREADS):
            self.due = LONG_AGO
        else:
            self.due = min(look.ended + poll, self._sweep_due(look, came))

    def rung(self) -> None:
        """Look again: now, or soon if it is a side lane that was empty a moment ago."""
        soon = LONG_AGO if self.lane is Lane.OPEN else self.empty_since + PROBE
        self.news = self.news or self.due > LONG_AGO
        self.due = min(self.due, soon)

    def _sweep_due(self, look: Look, came: int) -> float:
        """When to sweep what a look by marks may have passed by."""
        if not (self.marked and self.marks.wants_sweep):
            return inf
        due = self.marks.next_sweep
        return max(due, min(look.ended, due) + LULL) if came else due

    def reset(self) -> None:
        """Forget how far it has come: the line was put in another order."""
        self.marks = Marks()
        self.due = LONG_AGO
