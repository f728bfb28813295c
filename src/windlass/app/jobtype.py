"""A declared type of job: still the function it was, and the way to enqueue it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Concatenate, Generic, ParamSpec, Protocol, TypeVar, Unpack, overload

from windlass.app.options import Options, applied, template
from windlass.clock import Chance
from windlass.core.job import NewJob
from windlass.executors.base import Executor
from windlass.executors.context import Context
from windlass.store.records import Enqueued

C = ParamSpec("C")  # how the handler is called: with its context, if it wants one
P = ParamSpec("P")  # how it is enqueued: without
R_co = TypeVar("R_co", covariant=True)
R = TypeVar("R")


class Enqueuer(Protocol):
    """Whoever keeps jobs."""

    async def enqueue(self, job: NewJob, *, connection: object = None) -> Enqueued:
        """Keep the job."""
        ...


class JobType(Generic[C, P, R_co]):
    """A type of job, with what its next jobs will have in common."""

    __name__: str

    def __init__(
        self,
        handler: Callable[C, R_co],
        executor: Executor,
        app: Enqueuer,
        chance: Chance,
        asked: NewJob | None = None,
    ) -> None:
        """Stand in for `handler`; jobs look like `asked`, or as the executor would have them."""
        functools.update_wrapper(self, handler)
        self.type = executor.type
        self.executor = executor
        self._handler = handler
        self._app = app
        self._chance = chance
        self._asked = asked or template(executor)
        # Id, type and payload come first in a job; the rest is the same for each.
        self._rest = self._asked[3:]

    def __call__(self, *args: C.args, **kwargs: C.kwargs) -> R_co:
        """Call the handler here and now, as if nothing had been declared."""
        return self._handler(*args, **kwargs)

    def job(self, *args: P.args, **kwargs: P.kwargs) -> NewJob:
        """A new job with these arguments, yet to be enqueued."""
        executor = self.executor
        payload = executor.validate(executor.gather(args, kwargs))
        # As NewJob(…) does it, in half the time: it is made for each job of a batch.
        return tuple.__new__(NewJob, (self._chance.job_id(), self.type, payload) + self._rest)  # noqa: RUF005

    async def enqueue(self, *args: P.args, **kwargs: P.kwargs) -> Enqueued:
        """Enqueue a new job with these arguments."""
        return await self._app.enqueue(self.job(*args, **kwargs))

    def options(self, **options: Unpack[Options]) -> JobType[C, P, R_co]:
        """The same type, whose next jobs have these options."""
        asked = applied(self._asked, options)
        return JobType(self._handler, self.executor, self._app, self._chance, asked)

    def __repr__(self) -> str:
        return f"<job type {self.type!r}: {self.executor.origin}>"


class Declare(Protocol):
    """Turns a function into a job type. A `Context` that comes first is not asked of callers."""

    @overload
    def __call__(
        self, handler: Callable[Concatenate[Context, P], R], /
    ) -> JobType[Concatenate[Context, P], P, R]: ...

    @overload
    def __call__(self, handler: Callable[P, R], /) -> JobType[P, P, R]: ...
