"""Many jobs at once: what may be done with them, and how far that has come.

A bulk action is a job itself. It walks along the ids of the jobs that it is about, the newest
first, and keeps its place in the commit that changes a chunk of them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from windlass.core.errors import BadInput
from windlass.core.job import FINISHED, LIVE, JobId, State
from windlass.core.search import JobFilter, parse

BULK_TYPE = "windlass.bulk"
# Every worker serves it, whatever queues it is told to serve; nobody pauses it by accident.
BULK_QUEUE = "windlass"
# Before all that users can ask for: it may be about a line that is hours long. With strict aging a
# point is worth 10^15 µs, and ranks end at 2^62.
BULK_PRIORITY = 4_000
# It may run for days, in which workers are killed for all kinds of reasons.
BULK_CRASHES = 100
# Locks are held for as long as a chunk takes.
MOST_AT_ONCE = 1_000
# One job in a quarter of an hour: whoever is slower than that means something else.
SLOWEST, FASTEST = 0.001, 1e15


class Action(StrEnum):
    """What can be done with many jobs at once."""

    RETRY = "retry"
    CANCEL = "cancel"
    DELETE = "delete"

    @property
    def states(self) -> frozenset[State]:
        """The states in which it can be done to a job."""
        return STATES[self]


STATES = {
    Action.RETRY: frozenset({State.FAILED, State.CANCELLED}),
    Action.CANCEL: LIVE,
    Action.DELETE: FINISHED,
}


class Place(Struct, frozen=True, kw_only=True):
    """How far an action has come. Jobs that came, or were finished, after `until` are not meant."""

    until: datetime  # when it began, by the database's clock
    before: JobId | None = None  # the ids from here up are done with
    matched: int = 0
    changed: int = 0
    over: bool = False

    def past(self, before: JobId | None, *, matched: int, changed: int) -> Place:
        """The place after a chunk; without an id to go on from it is the last one."""
        return replace(
            self,
            before=before or self.before,
            matched=self.matched + matched,
            changed=self.changed + changed,
            over=before is None,
        )


class Chunk(Struct, frozen=True, kw_only=True):
    """The jobs to change next, on behalf of the claim that (job, fence) names."""

    job: JobId
    fence: int
    action: Action
    states: Collection[State]
    ids: Sequence[JobId]
    place: Place
    before: JobId | None  # where the walk goes on; None at its end


class Step(NamedTuple):
    """What came of a chunk."""

    place: Place
    queues: Sequence[str]  # that have jobs again
    asked: bool  # whether running jobs were asked to stop


def action(value: object) -> Action:
    """One of the three actions."""
    try:
        return Action(str(value))
    except ValueError:
        raise BadInput(f"no bulk action {value!r}; actions: {', '.join(Action)}") from None


def rate(value: object) -> float | None:
    """How many jobs a second, at most."""
    match value:
        case None:
            return None
        case int() | float() if value is not True and SLOWEST <= value < FASTEST:
            return float(value)
    raise BadInput(f"rate must be jobs a second, {SLOWEST} or more, not {value!r}")


def wanted(action: Action, text: str, now: datetime) -> JobFilter:
    """The jobs that a query means and that the action can change."""
    if not text.strip():
        raise BadInput(f"say which jobs to {action}, as in status:{min(action.states)} type:email")
    which = parse(text, now)
    states = action.states & frozenset(which.states or State)
    if not states:
        raise BadInput(
            f"{action} is for jobs that are {_either(action.states)},"
            f" and none of those is {_either(which.states)}"
        )
    return replace(which, states=states)


def at_once(rate: float | None) -> int:
    """How many jobs a chunk has: no more than a second's worth."""
    return MOST_AT_ONCE if rate is None else max(1, min(MOST_AT_ONCE, int(rate)))


def pause(jobs: int, rate: float | None, took: float) -> float:
    """Seconds to wait after a chunk of so many jobs that took so long."""
    return 0.0 if rate is None else max(0.0, jobs / rate - took)


def _either(states: Collection[State]) -> str:
    return " or ".join(state for state in State if state in states)
