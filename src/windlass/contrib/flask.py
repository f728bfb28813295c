"""Windlass in Flask: handlers run in the context of the application, errors become answers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, TypeAlias

from flask import Flask, Response

from windlass.core.errors import WindlassError
from windlass.executors.base import Executor, Mode
from windlass.executors.context import Context
from windlass.http import problems
from windlass.wiring import Windlass

Call: TypeAlias = Callable[[str, Context | None], Any]


def attach(jobs: Windlass, app: Flask) -> None:
    """Make the two known to each other, once for each application.

    Handlers of `jobs` run in the context of `app`, so that `current_app` and extensions work in
    them; `app.extensions["windlass"]` is `jobs`; and an error of Windlass that a view raises is
    answered as its own API would: bad input is 422, a job that is not there 404.
    """
    jobs.registry.dress(lambda executor: _in_context(executor, app))
    app.extensions["windlass"] = jobs
    app.register_error_handler(WindlassError, problem)


def problem(error: Exception) -> Response:
    """The answer to an error of Windlass."""
    answer = problems.answer(error)
    headers = [(name.decode(), value.decode()) for name, value in answer.headers]
    return Response(answer.body, answer.status, headers, content_type=answer.media.decode())


def _in_context(executor: Executor, app: Flask) -> Executor:
    wrap = _awaited if executor.mode is Mode.LOOP else _called
    return replace(executor, call=wrap(executor.call, app.app_context))


def _called(call: Call, context: Callable[[], AbstractContextManager[Any]]) -> Call:
    def inside(text: str, ctx: Context | None) -> Any:
        with context():
            return call(text, ctx)

    return inside


def _awaited(call: Call, context: Callable[[], AbstractContextManager[Any]]) -> Call:
    async def inside(text: str, ctx: Context | None) -> Any:
        with context():
            return await call(text, ctx)

    return inside
