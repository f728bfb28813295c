"""Answers for what nobody foresaw: the caller learns that it broke, the log learns why."""

from __future__ import annotations

import asyncio
import traceback

from windlass.http import problems
from windlass.http.answer import Send
from windlass.http.drain import Drain
from windlass.http.middleware.draining import STOPPING
from windlass.http.middleware.layer import Asgi, refuse
from windlass.http.middleware.reply import Reply
from windlass.http.request import Receive, Scope
from windlass.observe.events import Observer, RequestBroke


def recovery(app: Asgi, drain: Drain, observer: Observer) -> Asgi:
    """Nothing that is raised further in gets past this layer, unless an answer has begun."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await app(scope, receive, send)
        except asyncio.CancelledError:
            if not drain.begun or scope["reply"].begun:
                raise
            await refuse(STOPPING, scope, send)  # it took longer than we can wait
        except Exception as error:
            observer.on(_broke(scope, error))
            reply: Reply = scope["reply"]
            if reply.begun:
                raise  # it cannot be taken back; the server cuts the connection
            await refuse(problems.refusal(error), scope, send)

    return serve


def _broke(scope: Scope, error: Exception) -> RequestBroke:
    return RequestBroke(
        request_id=scope["request_id"],
        method=scope["method"],
        path=scope["raw_path"].decode("ascii", "replace"),
        error="".join(traceback.format_exception(error)),
    )
