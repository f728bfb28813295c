"""The JSON about queues, workers and types of job that goes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from windlass.app.board import QueueView
from windlass.core.incidents import Incident as Found
from windlass.core.incidents import Severity
from windlass.http.wire import Instant, document, seconds
from windlass.store.records import Fleet, Held, NodeStatus, TypeRecord, WorkerStatus
from windlass.store.rows import instant

MOST_LISTENERS = 100


class Queue(msgspec.Struct, kw_only=True):
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


class Place(msgspec.Struct, kw_only=True):
    """Where to look."""

    kind: Annotated[str, Meta(description="fleet, queue, type, worker, dead or redis")]
    name: str


class Incident(msgspec.Struct, kw_only=True):
    """Something that is wrong right now."""

    kind: str
    severity: Severity
    since: Instant | None
    sentence: str
    about: Place


class Load(msgspec.Struct):
    """How many jobs of a queue wait or run."""

    load: int


class RunningJob(msgspec.Struct, kw_only=True):
    """A job that a worker runs."""

    id: str
    type: str
    queue: str
    name: str | None
    threads: Annotated[int, Meta(description="Granted to it; 0 if it asked for none.")]
    started_at: Annotated[Instant, Meta(description="When it was claimed.")]


class Worker(msgspec.Struct, kw_only=True):
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


class Node(msgspec.Struct, kw_only=True):
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


class JobType(msgspec.Struct, kw_only=True):
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


def queue(view: QueueView) -> Queue:
    """A queue as it goes out."""
    record = view.record
    return Queue(
        name=record.name,
        pending=record.depth,
        running=record.running,
        oldest_at=record.oldest_at,
        paused=record.paused_at is not None,
        paused_at=record.paused_at,
        paused_by=record.paused_by,
        scheduled=view.scheduled,
        oldest_age=seconds(view.oldest_age),
        rate_in=_rounded(view.rates.into),
        rate_out=_rounded(view.rates.out),
        drain=_rounded(view.drain),
        saturation=_rounded(view.saturation),
        workers=len(view.listeners),
        slots=view.slots,
        slots_in_use=view.slots_in_use,
        listeners=[one.record.id for one in view.listeners[:MOST_LISTENERS]],
    )


def incident(found: Found) -> Incident:
    """Something that is wrong, as it goes out."""
    return Incident(
        kind=found.kind,
        severity=found.severity,
        since=found.since,
        sentence=found.sentence,
        about=Place(kind=found.about.kind, name=found.about.name),
    )


def workers(fleet: Fleet) -> list[Worker]:
    """The workers as they go out."""
    nodes = {one.record.id: one for one in fleet.nodes}
    # One whose node has left between two looks has left, too.
    there = [one for one in fleet.workers if one.record.node in nodes]
    return [_worker(one, nodes[one.record.node]) for one in there]


def nodes(fleet: Fleet) -> list[Node]:
    """The nodes as they go out, each with what its workers have in common."""
    return [
        _node(one, [worker for worker in fleet.workers if worker.record.node == one.record.id])
        for one in fleet.nodes
    ]


def job_type(record: TypeRecord) -> JobType:
    """A type of job as it goes out."""
    return JobType(
        type=record.type,
        description=record.description,
        queue=record.queue,
        priority=record.priority,
        thread_demand=record.threads,
        max_attempts=record.max_attempts,
        max_crashes=record.max_crashes,
        timeout=record.timeout,
        workers=record.workers,
        payload_schema=document(record.schema),
    )


def _worker(status: WorkerStatus, node: NodeStatus) -> Worker:
    record = status.record
    return Worker(
        id=record.id,
        node=record.node,
        host=node.record.host,
        pid=record.pid,
        version=node.record.version,
        slots=record.slots,
        slots_in_use=status.running,
        threads=record.threads,
        queues=None if record.queues is None else list(record.queues),
        types=list(record.types),
        alone=record.alone,
        alive=status.alive,
        started_at=status.started_at,
        lease_until=status.lease_until,
        jobs=list(status.jobs),
        running=[_running(held) for held in status.held],
        threads_in_use=status.threads_in_use,
        heartbeat_at=node.renewed_at,
        heartbeat_age=max(node.quiet.total_seconds(), 0.0),
        draining=status.drain_at is not None,
        draining_at=status.drain_at,
        draining_by=status.drain_by,
    )


def _running(held: Held) -> RunningJob:
    return RunningJob(
        id=held.id,
        type=held.type,
        queue=held.queue,
        name=held.name,
        threads=held.threads,
        started_at=instant(held.since_us),
    )


def _rounded(figure: float | None) -> float | None:
    return None if figure is None else round(figure, 3)


def _node(status: NodeStatus, workers: Sequence[WorkerStatus]) -> Node:
    record = status.record
    return Node(
        id=record.id,
        host=record.host,
        pid=record.pid,
        version=record.version,
        alive=status.alive,
        started_at=status.started_at,
        lease_until=status.lease_until,
        workers=len(workers),
        slots=sum(one.record.slots for one in workers),
        slots_in_use=sum(one.running for one in workers),
    )
