"""Sends new requests elsewhere while the service stops."""

from __future__ import annotations

from collections.abc import Awaitable

from windlass.http.answer import Send
from windlass.http.drain import Drain
from windlass.http.middleware.layer import HEALTH, Asgi, refuse
from windlass.http.problems import RETRY_SOON, Refusal
from windlass.http.request import Receive, Scope

STOPPING = Refusal(
    503,
    "stopping",
    "this server is stopping; send the request again, to another one or a little later",
    # The connection would not outlive the server; the next one may lead to another.
    headers=(RETRY_SOON, (b"connection", b"close")),
)


def draining(app: Asgi, drain: Drain) -> Asgi:
    """From the moment the drain begins only health is told; requests inside are left alone."""

    def serve(scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        if drain.begun and scope["path"] not in HEALTH:
            return refuse(STOPPING, scope, send)
        return app(scope, receive, send)

    return serve
