"""Windlass in FastAPI and Starlette: it opens, works and closes with the application."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any, TypeAlias

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from windlass.http import problems
from windlass.wiring import Windlass

Lifespan: TypeAlias = Callable[[Any], AbstractAsyncContextManager[Mapping[str, Any] | None]]
Stateful: TypeAlias = Callable[[Any], AbstractAsyncContextManager[Mapping[str, Any]]]


def lifespan(jobs: Windlass, *, worker: bool = False, around: Lifespan | None = None) -> Stateful:
    """The lifespan of an application that enqueues jobs, as in `FastAPI(lifespan=lifespan(jobs))`.

    The store is opened before the first request, so that a wrong address is told at the start.
    With `worker`, jobs also run in this process; at the end those that run may finish, and what
    has not started is handed back. `around` is a lifespan of your own: what it opens is there
    before the worker starts, and until it has ended.
    """

    @asynccontextmanager
    async def living(application: Any) -> AsyncIterator[Mapping[str, Any]]:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(jobs)
            yours = None
            if around is not None:
                yours = await stack.enter_async_context(around(application))
            if worker:
                await stack.enter_async_context(jobs.worker())
            yield {**(yours or {}), "windlass": jobs}

    return living


def windlass_of(connection: HTTPConnection) -> Windlass:
    """The Windlass of the application that was asked; for `Depends`."""
    jobs: Windlass = connection.state.windlass
    return jobs


async def problem(_request: Request, error: Exception) -> Response:
    """The answer to an error of Windlass, as its own API would have it.

    For `add_exception_handler(WindlassError, problem)`: bad input is 422, a job that is not there
    404, one in another state 409, and a store that is away 503.
    """
    answer = problems.answer(error)
    headers = {name.decode(): value.decode() for name, value in answer.headers}
    return Response(answer.body, answer.status, headers, answer.media.decode())
