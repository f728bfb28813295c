"""The JSON about jobs that comes in and goes out. Times are in UTC, spans in seconds."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Raw

from windlass.core.explain import Explanation as StoredExplanation
from windlass.core.job import Attempt as StoredAttempt
from windlass.core.job import Job as StoredJob
from windlass.core.job import State
from windlass.core.limits import MAX_ATTEMPTS, MAX_CRASHES, MAX_TEXT, MAX_THREADS
from windlass.core.rank import MAX_PRIORITY, MIN_PRIORITY
from windlass.store.records import Enqueued

MOST_IN_BATCH = 10_000

Text = Annotated[str, Meta(min_length=1, max_length=MAX_TEXT)]
Seconds = Annotated[float, Meta(ge=0, le=3e9)]
Instant = Annotated[datetime, Meta(tz=True)]


class Backoff(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """How long to wait between attempts: base, then `factor` times as long each, up to cap."""

    base: Annotated[float, Meta(gt=0, le=1e6)] = 2.0
    factor: Annotated[float, Meta(ge=1, le=100)] = 2.0
    cap: Annotated[float, Meta(gt=0, le=1e7)] = 3600.0


class Options(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
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


class Submission(Options, forbid_unknown_fields=True, kw_only=True):
    """A job as asked for; what is left out is as its type has it."""

    type: Annotated[Text, Meta(examples=["add_numbers"])]
    payload: Annotated[Any, Meta(examples=[{"x": 1, "y": 2}])] = msgspec.field(default_factory=dict)


class Replay(Options, forbid_unknown_fields=True, kw_only=True):
    """What shall be otherwise than with the old job; what is left out is as it was there."""

    payload: Any | msgspec.UnsetType = msgspec.UNSET


class Batch(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Many jobs at once: all or none, unless `atomic` is false."""

    jobs: Annotated[list[Submission], Meta(min_length=1, max_length=MOST_IN_BATCH)]
    atomic: bool = True


class Accepted(msgspec.Struct):
    """A job that is kept."""

    id: str
    status: State


class Verdict(msgspec.Struct, omit_defaults=True):
    """What became of one job of a batch: kept, with its id, or refused, with the reason."""

    id: str | None = None
    status: State | None = None
    error: str | None = None
    problem: Annotated[
        str | None, Meta(description="For programs, as the `type` of a problem.")
    ] = None


class Batched(msgspec.Struct):
    """What became of each job of a batch, in the order in which they came."""

    accepted: int
    refused: int
    jobs: list[Verdict]


class Job(msgspec.Struct, kw_only=True):
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


class Links(msgspec.Struct, kw_only=True):
    """Which job this one replays, and which ones replay it."""

    replay_of: str | None
    replays: Annotated[list[str], Meta(description="The oldest first.")]


class Attempt(msgspec.Struct, kw_only=True):
    """An attempt that ended otherwise than well."""

    number: int
    reason: str
    error: str | None
    trace: str | None
    worker: str | None
    started_at: Instant | None
    finished_at: Instant


class Line(msgspec.Struct, kw_only=True):
    """A line that the handler logged."""

    level: str
    message: str
    at: Instant | None


class Progress(msgspec.Struct, kw_only=True):
    """How far the running attempt has come, from 0 to 1."""

    fraction: float
    message: str | None
    at: Instant | None


class Explanation(msgspec.Struct, kw_only=True):
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


def accepted(enqueued: Enqueued) -> Accepted:
    """What is answered for a job that is kept."""
    return Accepted(enqueued.id, enqueued.state)


def job(stored: StoredJob) -> Job:
    """The stored job as it goes out; its documents as they are, not read and written again."""
    return Job(
        id=stored.id,
        type=stored.type,
        payload=document(stored.payload),
        status=stored.state,
        attempts=stored.attempts,
        max_attempts=stored.max_attempts,
        scheduled_at=stored.run_at,
        started_at=stored.started_at,
        completed_at=stored.finished_at,
        created_at=stored.created_at,
        updated_at=stored.finished_at or stored.started_at or stored.created_at,
        name=stored.name,
        queue=stored.queue,
        priority=stored.priority,
        thread_demand=stored.threads,
        result=None if stored.result is None else document(stored.result),
        error=stored.error,
        reason=stored.reason,
        failures=stored.failures,
        crashes=stored.crashes,
        max_crashes=stored.max_crashes,
        timeout=stored.policy.timeout if stored.policy else None,
        idempotency_key=stored.key,
        worker=stored.worker,
        cancel_requested=stored.cancel_requested,
        queue_time=seconds(stored.queue_time),
        execution_time=seconds(stored.execution_time),
        total_time=seconds(stored.total_time),
    )


def attempt(number: int, stored: StoredAttempt) -> Attempt:
    """An attempt as it goes out."""
    return Attempt(
        number=number,
        reason=stored.reason,
        error=stored.error,
        trace=stored.trace,
        worker=stored.worker,
        started_at=stored.started_at,
        finished_at=stored.finished_at,
    )


def explanation(job_id: str, why: StoredExplanation) -> Explanation:
    """Why a job is where it is, as it goes out."""
    return Explanation(
        id=job_id,
        status=why.state,
        reasons=why.sentences,
        ahead=why.ahead,
        ahead_exact=why.ahead_exact,
        wait=seconds(why.wait),
        due_at=why.due_at,
        paused_by=why.paused_by,
        workers=why.workers,
        workers_for_type=why.workers_for_type,
        workers_for_queue=why.workers_for_queue,
        widest=why.widest,
        claims_per_second=why.claims_per_second,
        lease_until=why.lease_until,
    )


def seconds(span: timedelta | None) -> float | None:
    """A span as a number."""
    return None if span is None else span.total_seconds()


def document(text: str) -> Raw:
    """A JSON document as it is, not read and written again."""
    return Raw(text.encode())
