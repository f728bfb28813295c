"""A Django task that can say more than Django asks: how often it is tried, and how long it runs."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Generic,
    Literal,
    ParamSpec,
    Protocol,
    TypedDict,
    TypeVar,
    Unpack,
    cast,
    overload,
)

from django.utils import timezone

from windlass.app.options import Options
from windlass.contrib.django import flavour
from windlass.contrib.django.flavour import AnyTask, TaskContext, TaskResult
from windlass.core.backoff import Backoff
from windlass.executors.handlers import Declaration

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

# What a task may say besides, in Windlass's own words: of all its jobs, or of each.
OF_EITHER = ("max_attempts", "max_crashes", "timeout", "backoff", "thread_demand")
OF_A_JOB = (*OF_EITHER, "idempotency_key")
OF_ITS_TYPE = (*OF_EITHER, "isolation", "memory_limit")


@dataclass(frozen=True, slots=True, kw_only=True)
class WindlassTask(AnyTask, Generic[P, R_co]):
    """What `@task(max_attempts=5, timeout=30)` makes; whatever is not said is as usual."""

    max_attempts: int | None = None
    max_crashes: int | None = None
    timeout: float | timedelta | None = None
    backoff: Backoff | None = None
    thread_demand: int | None = None
    idempotency_key: str | None = None
    isolation: Literal["process"] | None = None
    memory_limit: int | None = None

    def using(self, **changes: Any) -> WindlassTask[P, R_co]:
        """The same task, of which this is said instead."""
        said = {name: value for name, value in changes.items() if value is not None}
        return replace(self, **said)

    if TYPE_CHECKING:

        def enqueue(self, *args: P.args, **kwargs: P.kwargs) -> TaskResult[P, R_co]:
            """Keep the task, to be run later."""
            ...

        async def aenqueue(self, *args: P.args, **kwargs: P.kwargs) -> TaskResult[P, R_co]:
            """The same for async code."""
            ...


class Said(TypedDict, total=False):
    """What can be said about a task where it is declared."""

    priority: int
    queue_name: str
    backend: str
    max_attempts: int
    max_crashes: int
    timeout: float | timedelta | None
    backoff: Backoff | None
    thread_demand: int
    isolation: Literal["process"] | None
    memory_limit: int | None


class Declare(Protocol):
    """Turns a function into a task."""

    @overload
    def __call__(self, function: Callable[P, Coroutine[Any, Any, R]], /) -> WindlassTask[P, R]: ...

    @overload
    def __call__(self, function: Callable[P, R], /) -> WindlassTask[P, R]: ...


class DeclareWithContext(Protocol):
    """Turns a function into a task; the context, which comes first, is not asked of callers."""

    @overload
    def __call__(
        self, function: Callable[Concatenate[TaskContext[..., Any], P], Coroutine[Any, Any, R]], /
    ) -> WindlassTask[P, R]: ...

    @overload
    def __call__(
        self, function: Callable[Concatenate[TaskContext[..., Any], P], R], /
    ) -> WindlassTask[P, R]: ...


@overload
def task(function: Callable[P, Coroutine[Any, Any, R]], /) -> WindlassTask[P, R]: ...


@overload
def task(function: Callable[P, R], /) -> WindlassTask[P, R]: ...


@overload
def task(*, takes_context: Literal[True], **said: Unpack[Said]) -> DeclareWithContext: ...


@overload
def task(**said: Unpack[Said]) -> Declare: ...


def task(function: Callable[..., Any] | None = None, **said: Any) -> Any:
    """Declare a task, as Django's own decorator does; type checkers know the options of ours."""
    declare = cast("Any", flavour.task)
    return declare(**said) if function is None else declare(function)


def options(task: AnyTask) -> Options:
    """How the jobs of a task are asked for."""
    said = _said(task, OF_A_JOB)
    said |= {"queue": task.queue_name, "priority": task.priority}
    if task.run_after is not None:
        naive = timezone.is_naive(task.run_after)
        said["run_at"] = timezone.make_aware(task.run_after) if naive else task.run_after
    return cast("Options", said)


def declaration(task: AnyTask, type_: str) -> Declaration:
    """How the type of a task's jobs is declared, for those who enqueue them without Django."""
    usual = {"type": type_, "queue": task.queue_name, "priority": task.priority}
    return cast("Declaration", {**usual, **_said(task, OF_ITS_TYPE)})


def _said(task: AnyTask, names: tuple[str, ...]) -> dict[str, Any]:
    values = {name: getattr(task, name, None) for name in names}
    return {name: value for name, value in values.items() if value is not None}
