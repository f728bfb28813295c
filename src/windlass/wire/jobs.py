"""The JSON about jobs that comes in and goes out. Times are in UTC, spans in seconds."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from windlass.core.job import State
from windlass.core.limits import MAX_ATTEMPTS, MAX_CRASHES, MAX_TEXT, MAX_THREADS
from windlass.core.rank import MAX_PRIORITY, MIN_PRIORITY

MOST_IN_BATCH = 10_000

Text = Annotated[str, Meta(min_length=1, max_length=MAX_TEXT)]
Seconds = Annotated[float, Meta(ge=0, le=3e9)]
Instant = Annotated[datetime, Meta(tz=True)]


class Backoff(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How long to wait between attempts: base, then `factor` times as long each, up to cap."""

    base: Annotated[float, Meta(gt=0, le=1e6)] = 2.0
    factor: Annotated[float, Meta(ge=1, le=100)] = 2.0
    cap: Annotated[float, Meta(gt=0, le=1e7)] = 3600.0


class Options(
    msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True
):
    """How one job departs from its type."""

    name: Text | None = None
    queue: Text | None = None
    priority: Annotated[int, Meta(ge=MIN_PRIORITY, le=MAX_PRIORITY)] | None = None
    thread_demand: Annotated[int, Meta(ge=1, le=MAX_THREADS)] | None = None
    scheduled_at: Instant | None = None
    delay: Seconds | None = None
    max_attempts: Annotated[int, Meta(ge=1, le=MAX_ATTEMPTS)] | None = None
    max_retries: Annotated[
        Annotated[int, Meta(ge=1, le=MAX_ATTEMPTS)] | None, Meta(description="As max_attempts.")
    ] = None
    max_crashes: Annotated[int, Meta(ge=1, le=MAX_CRASHES)] | None = None
    timeout: Annotated[float, Meta(gt=0, le=3e9)] | None = None
    backoff: Backoff | None = None
    idempotency_key: Text | None = None
    key_window: Seconds | None = None


class Submission(Options, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A job as asked for; what is left out is as its type has it."""

    type: Annotated[Text, Meta(examples=["add_numbers"])]
    payload: Annotated[Any, Meta(examples=[{"x": 1, "y": 2}])] = msgspec.field(default_factory=dict)


class Replay(Options, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What shall be otherwise than with the old job; what is left out is as it was there."""

    payload: Any | msgspec.UnsetType = msgspec.UNSET


class Batch(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Many jobs at once: all or none, unless `atomic` is false."""

    jobs: Annotated[list[Submission], Meta(min_length=1, max_length=MOST_IN_BATCH)]
    atomic: bool = True


class Accepted(msgspec.Struct, frozen=True):
    """A job that is kept, or was for as long as jobs are: its key may hold for longer."""

    id: str
    status: Annotated[State | None, Meta(description="Null if the job is over and no longer kept.")]


class Verdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of one job of a batch: kept, with its id, or refused, with the reason."""

    id: str | None = None
    status: State | None = None
    error: str | None = None
    problem: Annotated[
        str | None, Meta(description="For programs, as the `type` of a problem.")
    ] = None


class Batched(msgspec.Struct, frozen=True):
    """What became of each job of a batch, in the order in which they came."""

    accepted: int
    refused: int
    jobs: list[Verdict]


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A job as it is now."""

    id: str
    type: str
    payload: Any
    status: State
    attempts: int
    max_attempts: int
    scheduled_at: Instant
    started_at: Instant | None
    completed_at: Annotated[
        Instant | None, Meta(description="When it was finished, however it ended.")
    ]
    created_at: Instant
    updated_at: Instant
    name: str | None
    queue: str
    priority: int
    thread_demand: int
    result: Any
    error: str | None
    reason: str | None
    failures: int
    crashes: int
    max_crashes: int
    timeout: float | None
    idempotency_key: str | None
    worker: str | None
    cancel_requested: bool
    queue_time: float | None
    execution_time: float | None
    total_time: float | None


class Links(msgspec.Struct, frozen=True, kw_only=True):
    """Which job this one replays, and which ones replay it."""

    replay_of: str | None
    replays: Annotated[list[str], Meta(description="The oldest first.")]


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt that ended otherwise than well."""

    number: int
    reason: str
    error: str | None
    trace: str | None
    worker: str | None
    started_at: Instant | None
    finished_at: Instant


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line that the handler logged."""

    level: str
    message: str
    at: Instant | None


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How far the running attempt has come, from 0 to 1."""

    fraction: float
    message: str | None
    at: Instant | None


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """Why a job is where it is: in sentences, and in numbers."""

    id: str
    status: State
    reasons: list[str]
    ahead: Annotated[int | None, Meta(description="How many jobs stand before it in line.")]
    ahead_exact: Annotated[bool, Meta(description="False: there are more than `ahead`.")]
    wait: Annotated[float | None, Meta(description="About how many seconds it will wait yet.")]
    due_at: Instant | None
    paused_by: str | None
    workers: int
    workers_for_type: int
    workers_for_queue: int
    widest: Annotated[int, Meta(description="The most threads of any worker.")]
    claims_per_second: float
    lease_until: Instant | None
