"""What the fleet has done and has before it, by queue and type: figures that only grow, or are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from windlass.core.job import FINISHED, LIVE, State

Pair: TypeAlias = tuple[str, str]

# Whoever watches pays for each name; beyond so many, names are made by a program and tell nothing.
MOST_NAMES = 1_000
OTHER = "other"

# What else is counted like a state: attempts that failed and whose job runs again by itself, and
# finished jobs that were put back in line by hand.
RETRIED, REVIVED = "retried", "revived"


class Total(NamedTuple):
    """How many jobs (attempts, for `RETRIED`) ever came to this end, and the time they took."""

    queue: str
    type: str
    state: str
    ended: int
    waited_us: int = 0
    ran_us: int = 0


class Counted(NamedTuple):
    """So many jobs of a queue and type are in a live state, or ever came to an end."""

    queue: str
    type: str
    state: str
    jobs: int
    oldest_us: int | None = None


class Line(NamedTuple):
    """One queue and type in a census."""

    queue: str
    type: str
    submitted: int = 0
    scheduled: int = 0
    pending: int = 0
    running: int = 0
    oldest_us: int | None = None  # when the pending job that waits longest was due


class Census(Struct, frozen=True, kw_only=True):
    """What was live at one moment, and what had been submitted until then.

    Lines stay once they are there, in the order in which their names first came up: so a name that
    was told apart is never lumped together with others later.
    """

    counted_us: int
    lines: Sequence[Line] = ()


def drawn(before: Sequence[Line], counted: Iterable[Counted]) -> list[Line]:
    """The lines after a count that was made at one moment."""
    rows = sorted(counted, key=_pair)
    names = named([_pair(line) for line in before], rows)
    submitted = {_pair(line): line.submitted for line in before}
    parts: dict[Pair, list[Counted]] = {name: [] for name in names}
    for row in rows:
        parts.setdefault(label(row, names), []).append(row)
    # Two may count at once: whoever is late must not take back what the other has told.
    return [_line(pair, theirs, submitted.get(pair, 0)) for pair, theirs in parts.items()]


def named(known: Sequence[Pair], rows: Iterable[Total | Counted]) -> dict[Pair, None]:
    """The names to tell apart: those known, then those that came up, as long as there is room."""
    names = dict.fromkeys(known)
    for row in rows:
        if len(names) >= MOST_NAMES:
            break
        names.setdefault(_pair(row))
    return names


def label(row: Total | Counted | Line, names: Collection[Pair]) -> Pair:
    """The queue and type under which a figure is told."""
    pair = _pair(row)
    return pair if pair in names else (OTHER, OTHER)


def _pair(row: Total | Counted | Line) -> Pair:
    return row.queue, row.type


def _line(pair: Pair, rows: Sequence[Counted], least: int) -> Line:
    def jobs(*states: str) -> int:
        return sum(row.jobs for row in rows if row.state in states)

    # A job enters by being submitted or revived, and leaves by being finished: nothing else.
    submitted = jobs(*LIVE) + jobs(*FINISHED) - jobs(REVIVED)
    waiting = [row.oldest_us for row in rows if row.state == State.PENDING and row.oldest_us]
    return Line(
        *pair,
        submitted=max(submitted, least),
        scheduled=jobs(State.SCHEDULED),
        pending=jobs(State.PENDING),
        running=jobs(State.RUNNING),
        oldest_us=min(waiting, default=None),
    )
