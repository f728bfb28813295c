"""Runs a Django task as a job: with fresh connections, the context it wants, and its signals."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from inspect import iscoroutinefunction
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.db import close_old_connections, reset_queries
from django.utils.module_loading import import_string

from windlass import Context, Windlass
from windlass.clock import Clock
from windlass.contrib.django.flavour import (
    AnyTask,
    Task,
    TaskContext,
    TaskResultStatus,
    task_finished,
    task_started,
)
from windlass.contrib.django.result import asked, error_of, told
from windlass.contrib.django.task import declaration
from windlass.core.errors import BadInput
from windlass.executors.base import Discard, Verdict

# The type of jobs whose task is in a module that workers do not look into.
ANY_TASK = "django.task"


def employ(app: Windlass, task: AnyTask) -> None:
    """Let the app know the task as a type of job of its own."""
    clock = app.storehouse.clock

    def run(ctx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
        return Errand(task, ctx, args, kwargs, clock).run()

    async def run_async(ctx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
        return await Errand(task, ctx, args, kwargs, clock).run_async()

    handler: Callable[..., Any] = run_async if iscoroutinefunction(task.func) else run
    for name in ("__module__", "__qualname__", "__doc__"):
        setattr(handler, name, getattr(task.func, name))
    app.job(**declaration(task, task.module_path))(handler)


def employ_any(app: Windlass) -> None:
    """Let the app know a type of job for every task that it does not know by name."""
    clock = app.storehouse.clock

    @app.job(type=ANY_TASK)
    def any_task(ctx: Context, task: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Run the task of this name, wherever it is."""
        return Errand(task_of(task), ctx, args, kwargs, clock).run()


def task_of(path: str) -> AnyTask:
    """The task of this name."""
    found = import_string(path)
    if not isinstance(found, Task):
        raise BadInput(f"{path} is no task: it lacks @task")
    return found


class Errand:
    """One attempt of a task."""

    def __init__(
        self, task: AnyTask, ctx: Context, args: list[Any], kwargs: dict[str, Any], clock: Clock
    ) -> None:
        """Begin now."""
        self._task = task
        self._ctx = ctx
        self._clock = clock
        self._sender = type(task.get_backend())
        now = self._now()
        self._result = told(
            asked(task, task.backend, args, kwargs),
            id=ctx.id,
            status=TaskResultStatus.RUNNING,
            enqueued_at=time_of(ctx.id),
            started_at=now,
            last_attempted_at=now,
            # Who made the attempts before is known to the store only; how many there were, is not.
            worker_ids=[*[""] * (ctx.attempt - 1), ctx.worker],
        )

    def run(self) -> Any:
        """Call the task; connections are fresh before and let go of after it, as for a request."""
        fresh_connections()
        try:
            task_started.send_robust(self._sender, task_result=self._result)
            try:
                value = self._task.call(*self._arguments(), **self._result.kwargs)
            except Exception as error:
                if self._failed(error):
                    task_finished.send_robust(self._sender, task_result=self._result)
                raise
            self._succeeded(value)
            task_finished.send_robust(self._sender, task_result=self._result)
            return value
        finally:
            close_old_connections()

    async def run_async(self) -> Any:
        """The same for a coroutine, whose queries run in a thread that Django keeps for them."""
        await sync_to_async(fresh_connections)()
        try:
            await task_started.asend_robust(self._sender, task_result=self._result)
            try:
                value = await self._task.acall(*self._arguments(), **self._result.kwargs)
            except Exception as error:
                if self._failed(error):
                    await task_finished.asend_robust(self._sender, task_result=self._result)
                raise
            self._succeeded(value)
            await task_finished.asend_robust(self._sender, task_result=self._result)
            return value
        finally:
            await sync_to_async(close_old_connections)()

    def _arguments(self) -> list[Any]:
        args = self._result.args
        return [TaskContext(task_result=self._result), *args] if self._task.takes_context else args

    def _succeeded(self, value: Any) -> None:
        told(
            self._result,
            status=TaskResultStatus.SUCCESSFUL,
            finished_at=self._now(),
            _return_value=value,
        )

    def _failed(self, error: Exception) -> bool:
        """Take note of the error; answer whether that was the end of it."""
        if isinstance(error, Verdict) and not isinstance(error, Discard):
            return False
        trace = "".join(traceback.format_exception(error))
        self._result.errors.append(error_of(error, trace))
        over = self._ctx.last or isinstance(error, Discard)
        told(self._result, status=TaskResultStatus.FAILED if over else TaskResultStatus.READY)
        if over:
            told(self._result, finished_at=self._now())
        return over

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock.now_us() / 1_000_000, UTC)


def fresh_connections() -> None:
    """Let go of connections that are broken or too old, and forget the queries of whoever was."""
    close_old_connections()
    reset_queries()


def time_of(job_id: str) -> datetime:
    """When a job was asked for, as its id says."""
    return datetime.fromtimestamp((UUID(job_id).int >> 80) / 1_000, UTC)
