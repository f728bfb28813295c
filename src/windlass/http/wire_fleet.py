"""The JSON about queues, workers and types of job that goes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from windlass.http.wire import Instant, document
from windlass.store.records import (
    Fleet,
    NodeRecord,
    NodeStatus,
    QueueRecord,
    TypeRecord,
    WorkerStatus,
)


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


class Load(msgspec.Struct):
    """How many jobs of a queue wait or run."""

    load: int


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


def queue(record: QueueRecord) -> Queue:
    """A queue as it goes out."""
    return Queue(
        name=record.name,
        pending=record.depth,
        running=record.running,
        oldest_at=record.oldest_at,
        paused=record.paused_at is not None,
        paused_at=record.paused_at,
        paused_by=record.paused_by,
    )


def workers(fleet: Fleet) -> list[Worker]:
    """The workers as they go out."""
    nodes = {one.record.id: one.record for one in fleet.nodes}
    return [_worker(one, nodes[one.record.node]) for one in fleet.workers]


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


def _worker(status: WorkerStatus, node: NodeRecord) -> Worker:
    record = status.record
    return Worker(
        id=record.id,
        node=record.node,
        host=node.host,
        pid=record.pid,
        version=node.version,
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
    )


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
