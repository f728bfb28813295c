"""Windlass in Flask: handlers run in the context of the application, errors become answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from flask import Flask, Response
from flask.ctx import AppContext
from msgspec.structs import replace

from windlass.core.errors import WindlassError
from windlass.executors.base import Executor, Mode
from windlass.executors.context import Context
from windlass.http import problems
from windlass.wiring import Windlass

Call: TypeAlias = Callable[[str, Context | None], Any]


class FlaskWindlass(Windlass):
    """A Windlass whose handlers run in the context of a Flask application."""

    flask: Flask | None = None

    def init_app(self, app: Flask) -> None:
        """Be the Windlass of this application, and no longer of one before.

        In handlers `current_app` and extensions work as in a view; `app.extensions["windlass"]` is
        this; and an error of Windlass that a view raises is answered as its own API would: bad
        input is 422, a job that is not there 404.
        """
        if self.flask is None:
            self.registry.dress(self._dressed)
        self.flask = app
        app.extensions["windlass"] = self
        app.register_error_handler(WindlassError, problem)

    def _dressed(self, executor: Executor) -> Executor:
        wrap = _awaited if executor.mode is Mode.LOOP else _called
        return replace(executor, call=wrap(executor.call, self._context))

    def _context(self) -> AppContext:
        assert self.flask is not None  # noqa: S101 — no executor is dressed before
        return self.flask.app_context()


def problem(error: Exception) -> Response:
    """The answer to an error of Windlass."""
    answer = problems.answer(error)
    headers = [(name.decode(), value.decode()) for name, value in answer.headers]
    return Response(answer.body, answer.status, headers, content_type=answer.media.decode())


def _called(call: Call, context: Callable[[], AppContext]) -> Call:
    def inside(text: str, ctx: Context | None) -> Any:
        with context():
            return call(text, ctx)

    return inside


def _awaited(call: Call, context: Callable[[], AppContext]) -> Call:
    async def inside(text: str, ctx: Context | None) -> Any:
        with context():
            return await call(text, ctx)

    return inside
