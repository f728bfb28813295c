"""How jobs flow through queues: what comes in, what goes out, and when a queue will be empty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

SECOND_US = 1_000_000
# Rates are told of the last half a minute to a minute.
ANCHORED_FOR = 30 * SECOND_US


class Passed(NamedTuple):
    """How many jobs ever came into a queue, and how many left it."""

    entered: int
    left: int


class Snapshot(Struct, frozen=True, kw_only=True):
    """What had passed through each queue: out of it by `at_us`, into it by `counted_us`."""

    at_us: int
    counted_us: int
    queues: Mapping[str, Passed]


class Rates(NamedTuple):
    """Jobs a second; None where that cannot be told."""

    into: float | None = None
    out: float | None = None


UNKNOWN = Rates()


def anchored(anchors: Sequence[Snapshot], latest: Snapshot) -> list[Snapshot]:
    """The snapshots to measure from next: at most two, and the second no older than needed."""
    if not anchors:
        return [latest]
    if latest.at_us - anchors[-1].at_us < ANCHORED_FOR:
        return list(anchors)
    return [anchors[-1], latest]


def rates(since: Snapshot, latest: Snapshot, known: Mapping[str, Rates]) -> dict[str, Rates]:
    """How fast jobs came and went between two snapshots.

    Where much is live, it is counted seldom: what is known of before stands until then.
    """
    return {
        queue: _rates(since, latest, queue, known.get(queue, UNKNOWN)) for queue in latest.queues
    }


def seen(since: Snapshot, latest: Snapshot, before: Mapping[str, int]) -> dict[str, int]:
    """When jobs last came to each queue or left it, in µs since 1970; about now if never told."""
    return {
        queue: latest.at_us
        if passed != since.queues.get(queue)
        else before.get(queue, latest.at_us)
        for queue, passed in latest.queues.items()
    }


def drain(depth: int, rates: Rates) -> float | None:
    """Seconds until the queue is empty if all goes on like this; None if it never will be."""
    if not depth:
        return 0.0
    if rates.into is None or rates.out is None or rates.out <= rates.into:
        return None
    return depth / (rates.out - rates.into)


def _rates(since: Snapshot, latest: Snapshot, queue: str, known: Rates) -> Rates:
    before, after = since.queues.get(queue, Passed(0, 0)), latest.queues[queue]
    into = _rate(before.entered, after.entered, latest.counted_us - since.counted_us)
    out = _rate(before.left, after.left, latest.at_us - since.at_us)
    return Rates(known.into if into is None else into, out)


def _rate(before: int, after: int, span_us: int) -> float | None:
    return max(after - before, 0) * SECOND_US / span_us if span_us > 0 else None
