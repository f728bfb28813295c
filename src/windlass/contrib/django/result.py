"""A job as Django tells of it: a task's result, by now."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from windlass.app import Job
from windlass.contrib.django.flavour import (
    AnyResult,
    AnyTask,
    TaskError,
    TaskResult,
    TaskResultStatus,
)
from windlass.core.job import Attempt, State

STATUSES = {
    State.SCHEDULED: TaskResultStatus.READY,
    State.PENDING: TaskResultStatus.READY,
    State.RUNNING: TaskResultStatus.RUNNING,
    State.COMPLETED: TaskResultStatus.SUCCESSFUL,
    State.FAILED: TaskResultStatus.FAILED,
    State.CANCELLED: TaskResultStatus.FAILED,
}
# Attempts that were given back or put off are none to Django.
COUNTED = frozenset({"failed", "attempts", "final", "crashed", "crash"})
# The line of a traceback that names the error; what an error says may have many lines after it.
NAMED = re.compile(r"^([^\W\d][\w.]*)(?::|$)", re.MULTILINE)


def asked(task: AnyTask, alias: str, args: Sequence[Any], kwargs: dict[str, Any]) -> AnyResult:
    """What is to be known of a job that nobody has kept yet."""
    return TaskResult(
        task=task,
        id="",
        status=TaskResultStatus.READY,
        enqueued_at=None,
        started_at=None,
        finished_at=None,
        last_attempted_at=None,
        args=list(args),
        kwargs=kwargs,
        backend=alias,
        errors=[],
        worker_ids=[],
    )


def told(result: AnyResult, **facts: object) -> AnyResult:
    """The same result, of which more is known; those who hold it shall see that."""
    for name, value in facts.items():
        object.__setattr__(result, name, value)
    return result


def result_of(job: Job, attempts: Sequence[Attempt], task: AnyTask, alias: str) -> AnyResult:
    """The result of a task whose job is this."""
    ended = [attempt for attempt in attempts if attempt.reason in COUNTED]
    begun = [attempt.started_at for attempt in ended if attempt.started_at is not None]
    workers = [str(attempt.worker or "") for attempt in ended]
    # An attempt that ended well, or has not ended, is in the job itself.
    if job.state in (State.RUNNING, State.COMPLETED):
        workers.append(str(job.worker or ""))
    return told(
        asked(task, alias, job.payload["args"], job.payload["kwargs"]),
        id=job.id,
        status=STATUSES[job.state],
        enqueued_at=job.created_at,
        started_at=begun[0] if begun else job.started_at,
        finished_at=job.finished_at,
        last_attempted_at=job.started_at or (begun[-1] if begun else None),
        errors=[_error(attempt) for attempt in ended],
        worker_ids=workers,
        _return_value=job.result,
    )


def error_of(error: BaseException, trace: str) -> TaskError:
    """An error that was just raised."""
    kind = type(error)
    return TaskError(exception_class_path=f"{kind.__module__}.{kind.__qualname__}", traceback=trace)


def _error(attempt: Attempt) -> TaskError:
    trace = attempt.trace or attempt.error or ""
    named: list[str] = NAMED.findall(attempt.trace or "")
    # A traceback names errors of Python itself without their module.
    path = named[-1] if named else "RuntimeError"
    return TaskError(
        exception_class_path=path if "." in path else f"builtins.{path}", traceback=trace
    )
