"""Jobs as they go out over HTTP."""

from __future__ import annotations

from datetime import timedelta

from msgspec import Raw

from windlass.core.explain import Explanation as StoredExplanation
from windlass.core.job import Attempt as StoredAttempt
from windlass.core.job import Job as StoredJob
from windlass.store.records import Enqueued
from windlass.wire.jobs import Accepted, Attempt, Explanation, Job


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
