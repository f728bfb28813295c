"""The backend: keeps Django's tasks as jobs, in the transaction in which they are enqueued."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, cached_property, partial
from typing import Any, ParamSpec, TypeVar, cast

from django.core import checks
from django.db import DatabaseError, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from windlass import Enqueued, NewJob, State, Windlass
from windlass.app.options import Options
from windlass.contrib.django import discovery
from windlass.contrib.django.address import store_url
from windlass.contrib.django.checking import examine
from windlass.contrib.django.errand import ANY_TASK, employ, employ_any, task_of, time_of
from windlass.contrib.django.flavour import (
    AnyResult,
    AnyTask,
    BaseTaskBackend,
    InvalidTask,
    InvalidTaskBackend,
    Task,
    TaskResult,
    TaskResultDoesNotExist,
    task_enqueued,
)
from windlass.contrib.django.result import asked, result_of, told
from windlass.contrib.django.task import WindlassTask, options
from windlass.core.errors import BadInput, NotMigrated, UnknownJob

P = ParamSpec("P")
R = TypeVar("R")

# How PostgreSQL and SQLite say that a table of ours is not there.
MISSING = re.compile(r'relation "[^"]*windlass_\w+" does not exist|no such table: .*windlass_')

OPTIONS = ("DATABASE", "MODULES", "SCHEMA", "STORE")


class WindlassBackend(BaseTaskBackend):
    """Keeps tasks in the database that the program itself works with, or in a store elsewhere.

    Django makes one for every thread; those with the same store share an app.
    """

    task_class = WindlassTask
    supports_defer = True
    supports_async_task = True
    supports_get_result = True
    supports_priority = True

    def __init__(self, alias: str, params: dict[str, Any]) -> None:
        """Refuse options that are not ours, and open nothing yet."""
        super().__init__(alias, params)
        unknown = sorted(self.options.keys() - set(OPTIONS))
        if unknown:
            raise InvalidTaskBackend(
                f"TASKS[{alias!r}] has no option {unknown[0]!r}; it has {', '.join(OPTIONS)}"
            )
        self.database: str = self.options.get("DATABASE", "default")
        self.modules: Sequence[str] = self.options.get("MODULES", ())
        # None if the jobs are in the database itself.
        self.store: str | None = self.options.get("STORE")

    @property
    def url(self) -> str:
        """Where the jobs are; asked anew each time, since tests move databases about."""
        return self.store or store_url(self._connection)

    @property
    def app(self) -> Windlass:
        """The app that knows the jobs, for all that Django has no words for."""
        return _app(self.url, self.options.get("SCHEMA"))

    def staffed(self) -> Windlass:
        """The app as workers need it: with every task that is found."""
        app = self.app
        for task in discovery.tasks(self.modules, self.alias):
            employ(app, task)
        employ_any(app)
        return app

    def enqueue(
        self, task: Task[P, R], args: Sequence[Any], kwargs: dict[str, Any]
    ) -> TaskResult[P, R]:
        """Keep the task with the transaction that is open, if one is, and else at once."""
        self.validate_task(task)
        result = asked(task, self.alias, args, kwargs)
        kept = self._keep(self._job(task, result))
        told(result, id=kept.id, enqueued_at=time_of(kept.id))
        task_enqueued.send(type(self), task_result=result)
        return cast("TaskResult[P, R]", result)

    def get_result(self, result_id: str) -> AnyResult:
        """The result by now; a job that is not committed yet is not there yet."""
        blocking = self.app.blocking
        try:
            job = blocking.get(result_id)
        except (UnknownJob, BadInput) as problem:
            raise TaskResultDoesNotExist(result_id) from problem
        path = job.payload["task"] if job.type == ANY_TASK else job.type
        try:
            task = task_of(path)
        except (ImportError, BadInput) as problem:
            raise TaskResultDoesNotExist(f"{result_id}: {problem}") from problem
        attempts = blocking.attempts(job.id) if job.failures or job.crashes else []
        return result_of(job, attempts, task, self.alias)

    def check(self, **_kwargs: Any) -> list[checks.CheckMessage]:
        """What `manage.py check` has to say."""
        return examine(self.alias, self._connection, self.store)

    @property
    def _connection(self) -> BaseDatabaseWrapper:
        return connections[self.database]

    @cached_property
    def _roots(self) -> list[str]:
        return discovery.roots(self.modules)

    def _job(self, task: AnyTask, result: AnyResult) -> NewJob:
        app, path = self.app, task.module_path
        payload = {"args": result.args, "kwargs": result.kwargs}
        if discovery.looked_at(task, self._roots):
            if app.registry.find(path) is None:
                employ(app, _declared(task))
            return app.job_of(path, payload, **options(task))
        if app.registry.find(ANY_TASK) is None:
            employ_any(app)
        said: Options = {**options(task), "name": path}
        return app.job_of(ANY_TASK, {"task": path, **payload}, **said)

    def _keep(self, job: NewJob) -> Enqueued:
        blocking, connection = self.app.blocking, self._connection
        if self.store is None:
            with _in_words(), connection.wrap_database_errors:
                connection.ensure_connection()
                return blocking.enqueue(job, connection=connection)
        if not connection.in_atomic_block:
            return blocking.enqueue(job)
        if job.key is not None:
            raise InvalidTask(
                "whether a key is taken shows only after the commit, if jobs are kept elsewhere:"
                " enqueue outside of the transaction, or leave out the option STORE"
            )
        transaction.on_commit(partial(blocking.enqueue, job), using=self.database)
        return Enqueued(job.id, State.PENDING)


def _declared(task: AnyTask) -> AnyTask:
    """The task as its module has it, whatever is said of it in this one call."""
    try:
        return task_of(task.module_path)
    except (ImportError, BadInput):
        return task


@cache
def _app(url: str, schema: str | None) -> Windlass:
    return Windlass(url, schema=schema)


@contextmanager
def _in_words() -> Iterator[None]:
    """Say what to do if our tables are not there yet."""
    try:
        yield
    except DatabaseError as problem:
        if not MISSING.search(str(problem)):
            raise
        raise NotMigrated(
            "the database has no tables of Windlass: put 'windlass.contrib.django' into"
            " INSTALLED_APPS and run `python manage.py migrate`"
        ) from problem
