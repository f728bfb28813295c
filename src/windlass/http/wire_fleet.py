"""Queues, workers and types of job as they go out over HTTP."""

from __future__ import annotations

from collections.abc import Sequence

from windlass.app.board import QueueView
from windlass.core.incidents import Incident as Found
from windlass.http.wire import document, seconds
from windlass.store.records import Fleet, Held, NodeStatus, TypeRecord, WorkerStatus
from windlass.store.rows import instant
from windlass.wire.fleet import Incident, JobType, Node, Place, Queue, RunningJob, Worker

MOST_LISTENERS = 100


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
