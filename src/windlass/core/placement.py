"""How much work a worker takes, from which line, and on how many threads it runs."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Generic, NamedTuple, TypeVar

from msgspec import Struct

from windlass.core.limits import MAX_THREADS

# Held beyond the free places: enough to bridge a claim, too little to keep work from other workers.
PREFETCH_SECONDS = 0.05
# Work held for longer than this goes back: what was claimed as short has turned out to be long.
HOARD_SECONDS = 1.0
# How fast the measured pace follows: a tenth of a second of work outweighs all before it.
PACE_SECONDS = 0.1
NO_TIME = 1e-9
# What goes to the store or comes from it at once: a statement must end long before it is given up.
PORTION_BYTES = 8 * 2**20
# Ways of running that were not met lately are still to be met; they count as one job in so many.
RARE = 1 / 500

K = TypeVar("K", bound=Hashable)


def portion(sizes: Sequence[int], most: int) -> int:
    """How many jobs as large as these to take at once, at least one."""
    bytes_each = sum(sizes) / max(len(sizes), 1)
    return most if bytes_each * most <= PORTION_BYTES else max(int(PORTION_BYTES // bytes_each), 1)


def leading(sizes: Sequence[int]) -> int:
    """How many of the first ones may go together, at least one."""
    if sum(sizes) <= PORTION_BYTES:
        return len(sizes)
    return max(bisect_right(list(accumulate(sizes)), PORTION_BYTES), 1)


class Berth(NamedTuple):
    """How one way of running stands: on the loop, in threads, in processes."""

    free: int  # attempts that it could start now
    held: int  # claims that wait for it
    prefetch: int  # claims that may wait for it
    share: float  # its part of what was claimed lately

    @property
    def room(self) -> int:
        """How many more claims it can take."""
        return self.free + self.prefetch - self.held

    @property
    def hungry(self) -> bool:
        """Whether it is time to claim for it: refilled at half, claims come in large batches."""
        return self.room > 0 and 2 * self.held <= self.prefetch


class Appetite(NamedTuple, Generic[K]):
    """What to claim: so many jobs, of the types that run in these ways."""

    ways: frozenset[K]
    limit: int


def appetite(berths: Mapping[K, Berth], *, free_slots: int, limit: int) -> Appetite[K]:
    """How much to claim at once so that no way of running is given more than it has room for.

    A claim cannot say how many of each it wants, so it asks for as many as would fill the first
    way, going by what came lately, and leaves out the ways that have no room at all. A way that
    jobs hardly ever take is always empty, and waits for the others to be refilled.
    """
    able = {way: berth for way, berth in berths.items() if berth.room > 0}
    usual = [berth for berth in able.values() if berth.share >= RARE] or able.values()
    if not any(berth.hungry for berth in usual):
        return Appetite(frozenset(), 0)
    total = sum(berth.share for berth in able.values()) or 1.0
    fitting = (berth.room / max(berth.share / total, RARE) for berth in able.values())
    held = sum(berth.held for berth in berths.values())
    room = free_slots + max(berth.prefetch for berth in able.values()) - held
    return Appetite(frozenset(able), max(0, min(limit, room, *map(int, fitting))))


def shares(before: Mapping[K, float], came: Mapping[K, int], asked: Iterable[K]) -> dict[K, float]:
    """Each way's part of what is claimed, half of it from what came just now."""
    count = sum(came.values())
    if not count:
        return dict(before)
    latest = {way: came.get(way, 0) / count for way in asked}
    return {way: (old + latest.get(way, old)) / 2 for way, old in before.items()}


def pace(before: float, finished: int, seconds: float) -> float:
    """Attempts finished per second of work, mostly those of the last tenth of a second."""
    if seconds < NO_TIME:
        return before
    weight = -math.expm1(-seconds / PACE_SECONDS)
    return before + weight * (finished / seconds - before)


def prefetch(at_pace: float, most: int) -> int:
    """How many claims to hold beyond the free places."""
    return min(most, int(at_pace * PREFETCH_SECONDS))


def surplus(held: int, at_pace: float) -> int:
    """How many held claims to hand back, because their turn will not come soon."""
    if held <= at_pace * HOARD_SECONDS:
        return 0
    return held - int(at_pace * PREFETCH_SECONDS)


def granted(demand: int, most: int) -> int:
    """The threads a job runs on: one, if it asks for more than can be had."""
    return 1 if demand > most else demand


class Widest(Struct, frozen=True, kw_only=True):
    """The most threads of any live worker, as one of them hears it. Times are monotonic seconds.

    Who has heard nothing yet takes no job for too wide. A worker that died is replaced soon, so
    jobs as wide as it was wait for that before they make do with one thread.
    """

    heard: int | None = None
    before: int = 0
    until: float = 0.0  # it was more `before`, which counts for so long

    def at(self, now: float) -> int:
        """More threads than this no worker has."""
        if self.heard is None:
            return MAX_THREADS
        return self.before if now < self.until else self.heard

    def hear(self, threads: int, now: float, patience: float) -> Widest:
        """Take in what the fleet says now."""
        before = self.at(now)
        if self.heard is None or threads >= before:
            return Widest(heard=threads)
        until = self.until if now < self.until else now + patience
        return Widest(heard=threads, before=before, until=until)


class Head(Struct, frozen=True, kw_only=True):
    """The first job in lane `threads` of those that a worker is wide enough for."""

    threads: int
    waited: float  # seconds


def reserves(head: Head | None, *, free: int, threads: int, widest: int, patience: float) -> bool:
    """Whether a worker lets its threads run empty for a wide job that has waited long enough.

    Otherwise narrow jobs that always fit would keep a wide one waiting for ever.
    """
    if head is None or head.waited < patience:
        return False
    need = granted(head.threads, widest)
    return free < need <= threads
