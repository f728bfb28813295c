"""A job: one unit of work as asked for, and as stored."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple, NewType

from msgspec import Struct

from windlass.core.backoff import Backoff

JobId = NewType("JobId", str)
WorkerId = NewType("WorkerId", str)
NodeId = NewType("NodeId", str)

DEFAULT_QUEUE = "default"
DEFAULT_MAX_ATTEMPTS = 3
DEFAULT_MAX_CRASHES = 3
DEFAULT_KEY_WINDOW = timedelta(hours=24)


class State(StrEnum):
    """Where a job is in its life. One that waits for its retry is `scheduled` with attempts > 0."""

    SCHEDULED = "scheduled"
    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def finished(self) -> bool:
        """Whether no worker will touch the job again; only retry and delete leave such a state."""
        return self in FINISHED


FINISHED = frozenset({State.COMPLETED, State.FAILED, State.CANCELLED})
LIVE = frozenset(State) - FINISHED

# Every change of state there is; docs/states.md draws it and a test compares the two.
TRANSITIONS: dict[State, frozenset[State]] = {
    State.SCHEDULED: frozenset({State.PENDING, State.CANCELLED}),
    State.PENDING: frozenset({State.RUNNING, State.CANCELLED}),
    State.RUNNING: frozenset(
        {State.COMPLETED, State.FAILED, State.CANCELLED, State.SCHEDULED, State.PENDING}
    ),
    State.COMPLETED: frozenset(),
    State.FAILED: frozenset({State.PENDING}),
    State.CANCELLED: frozenset({State.PENDING}),
}


class Lane(StrEnum):
    """Which line a pending job stands in."""

    OPEN = "open"  # asks for no thread
    THREADS = "threads"  # asks for some
    ALONE = "alone"  # suspected of killing its process; runs by itself
    PARKED = "parked"  # its queue is paused, or no live worker knows its type or queue


def lane_of(threads: int) -> Lane:
    """The line in which a job with this thread demand stands while nothing is wrong with it."""
    return Lane.THREADS if threads else Lane.OPEN


class Policy(Struct, frozen=True, kw_only=True):
    """How this one job departs from what its executor does by default."""

    timeout: float | None = None
    backoff: Backoff | None = None

    def __bool__(self) -> bool:
        """Whether it departs at all."""
        return self.timeout is not None or self.backoff is not None


class TracedPolicy(Policy, frozen=True, kw_only=True):
    """A policy that carries along the headers of the trace in which its job was enqueued."""

    trace: Mapping[str, str]

    def __bool__(self) -> bool:
        """Whether there is anything to be kept."""
        return True


class NewJob(NamedTuple):
    """A job as asked for. Its id is made by the caller, so that an enqueue can be sent again.

    A named tuple rather than a dataclass: it is made in a tenth of the time, once for every job.
    """

    id: JobId
    type: str
    payload: str  # JSON text
    queue: str = DEFAULT_QUEUE
    name: str | None = None
    priority: int = 0
    threads: int = 0
    delay: timedelta | None = None
    run_at: datetime | None = None
    max_attempts: int = DEFAULT_MAX_ATTEMPTS
    max_crashes: int = DEFAULT_MAX_CRASHES
    policy: Policy | None = None
    key: str | None = None
    key_window: timedelta = DEFAULT_KEY_WINDOW


class Job(Struct, frozen=True, kw_only=True):
    """A job as stored, live or finished."""

    id: JobId
    type: str
    queue: str
    name: str | None
    state: State
    lane: Lane | None
    priority: int
    threads: int
    payload: str
    result: str | None
    error: str | None
    reason: str | None
    attempts: int
    failures: int
    crashes: int
    max_attempts: int
    max_crashes: int
    policy: Policy | None
    key: str | None
    fence: int
    worker: WorkerId | None
    cancel_requested: bool
    created_at: datetime
    run_at: datetime
    started_at: datetime | None
    finished_at: datetime | None

    @property
    def queue_time(self) -> timedelta | None:
        """How long it was due before its last attempt began."""
        return self.started_at - self.run_at if self.started_at else None

    @property
    def execution_time(self) -> timedelta | None:
        """How long its last attempt ran."""
        if self.started_at is None or self.finished_at is None:
            return None
        return self.finished_at - self.started_at

    @property
    def total_time(self) -> timedelta | None:
        """How long it took from being asked for to being finished."""
        return self.finished_at - self.created_at if self.finished_at else None


class Attempt(Struct, frozen=True, kw_only=True):
    """An attempt that ended otherwise than well, kept with its error."""

    job: JobId
    fence: int
    reason: str
    error: str | None
    trace: str | None
    worker: WorkerId | None
    started_at: datetime | None
    finished_at: datetime
