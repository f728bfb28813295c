"""A Django task that can say more than Django asks: how often it is tried, and how long it runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Literal, cast

from django.utils import timezone

from windlass.app.options import Options
from windlass.contrib.django.flavour import AnyTask
from windlass.core.backoff import Backoff
from windlass.executors.handlers import Declaration

# What a task says of each of its jobs, and what of all of them, in Windlass's own words.
OF_A_JOB = ("max_attempts", "max_crashes", "timeout", "backoff", "thread_demand", "idempotency_key")
OF_ITS_TYPE = ("isolation", "memory_limit")


@dataclass(frozen=True, slots=True, kw_only=True)
class WindlassTask(AnyTask):
    """What `@task(max_attempts=5, timeout=30)` makes; whatever is not said is as usual."""

    max_attempts: int | None = None
    max_crashes: int | None = None
    timeout: float | timedelta | None = None
    backoff: Backoff | None = None
    thread_demand: int | None = None
    idempotency_key: str | None = None
    isolation: Literal["process"] | None = None
    memory_limit: int | None = None

    def using(self, **changes: Any) -> WindlassTask:
        """The same task, of which this is said instead."""
        said = {name: value for name, value in changes.items() if value is not None}
        return replace(self, **said)


def options(task: AnyTask) -> Options:
    """How the jobs of a task are asked for."""
    said = _said(task, OF_A_JOB)
    said |= {"queue": task.queue_name, "priority": task.priority}
    if task.run_after is not None:
        naive = timezone.is_naive(task.run_after)
        said["run_at"] = timezone.make_aware(task.run_after) if naive else task.run_after
    return cast("Options", said)


def declaration(task: AnyTask, type_: str) -> Declaration:
    """How the type of a task's jobs is declared."""
    return cast("Declaration", {"type": type_, **_said(task, OF_ITS_TYPE)})


def _said(task: AnyTask, names: tuple[str, ...]) -> dict[str, Any]:
    values = {name: getattr(task, name, None) for name in names}
    return {name: value for name, value in values.items() if value is not None}
