"""The JSON about queues, workers and types of job that goes out."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from windlass.core.incidents import Severity
from windlass.wire.jobs import Instant


class Queue(msgspec.Struct, frozen=True, kw_only=True):
    """A queue, with its jobs counted up to a bound."""

    name: str
    pending: int
    running: int
    oldest_at: Annotated[
        Instant | None, Meta(description="Since when the job that stands first is due.")
    ]
    paused: bool
    paused_at: Instant | None
    paused_by: str | None
    scheduled: Annotated[int, Meta(description="For later, or waiting for their retry.")]
    oldest_age: Annotated[
        float | None, Meta(description="For how many seconds the job that stands first is due.")
    ]
    rate_in: Annotated[
        float | None, Meta(description="Jobs a second, lately; null if nobody counted.")
    ]
    rate_out: Annotated[float | None, Meta(description="Jobs a second that left it.")]
    drain: Annotated[
        float | None,
        Meta(description="Seconds until it is empty at this rate; null if it does not shrink."),
    ]
    saturation: Annotated[
        float | None,
        Meta(description="The share of the slots of its workers in use; null without workers."),
    ]
    workers: Annotated[int, Meta(description="Live ones that claim from it.")]
    slots: Annotated[int, Meta(description="Of those workers.")]
    slots_in_use: Annotated[int, Meta(description="By jobs of whatever queue.")]
    listeners: Annotated[list[str], Meta(description="Those workers; at most a hundred.")]


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where to look."""

    kind: Annotated[str, Meta(description="fleet, queue, type, worker, dead or redis")]
    name: str


class Incident(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is wrong right now."""

    kind: str
    severity: Severity
    since: Instant | None
    sentence: str
    about: Place


class Load(msgspec.Struct, frozen=True):
    """How many jobs wait or run; those of paused queues do not wait for a worker."""

    load: int


class RunningJob(msgspec.Struct, frozen=True, kw_only=True):
    """A job that a worker runs."""

    id: str
    type: str
    queue: str
    name: str | None
    threads: Annotated[int, Meta(description="Granted to it; 0 if it asked for none.")]
    started_at: Annotated[Instant, Meta(description="When it was claimed.")]


class Worker(msgspec.Struct, frozen=True, kw_only=True):
    """A worker, and how much it does."""

    id: str
    node: str
    host: str
    pid: int
    version: str
    slots: int
    slots_in_use: int
    threads: int
    queues: Annotated[list[str] | None, Meta(description="Null: every queue.")]
    types: list[str]
    alone: Annotated[bool, Meta(description="Runs one job at a time, under suspicion.")]
    alive: bool
    started_at: Instant
    lease_until: Instant
    jobs: Annotated[list[str], Meta(description="Those it runs; at most a hundred.")]
    running: Annotated[list[RunningJob], Meta(description="The same, with what they are.")]
    threads_in_use: int
    heartbeat_at: Annotated[Instant, Meta(description="When its node was last heard of.")]
    heartbeat_age: Annotated[float, Meta(description="How many seconds ago that is.")]
    draining: Annotated[bool, Meta(description="Finishes what it runs, and claims no more.")]
    draining_at: Instant | None
    draining_by: str | None


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """A node, and the lease by which its workers' claims live."""

    id: str
    host: str
    pid: int
    version: str
    alive: bool
    started_at: Instant
    lease_until: Instant
    workers: int
    slots: int
    slots_in_use: int


class JobType(msgspec.Struct, frozen=True, kw_only=True):
    """A type of job as its executor has it."""

    type: str
    description: str | None
    queue: str
    priority: int
    thread_demand: int
    max_attempts: int
    max_crashes: int
    timeout: float | None
    workers: Annotated[int, Meta(description="Live ones that know it.")]
    payload_schema: Any
