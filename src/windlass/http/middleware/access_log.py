"""Gives every request an id, and tells how it was answered."""

from __future__ import annotations

from windlass.clock import Chance, Clock
from windlass.http.answer import Send
from windlass.http.middleware.layer import Asgi, headers
from windlass.http.middleware.reply import Reply
from windlass.http.request import Receive, Scope
from windlass.observe.events import Observer, RequestServed

# What a caller may call its request: no longer, and of nothing else.
LONGEST_ID = 64
IN_IDS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
LONGEST_PATH = 200
# As nginx says it: whoever asked hung up before there was an answer.
CLIENT_LEFT = 499


def access_log(app: Asgi, clock: Clock, chance: Chance, observer: Observer) -> Asgi:
    """The outermost layer: what happens further in, it sees the end of."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        began = clock.monotonic()
        request_id = scope["request_id"] = given_id(headers(scope)) or chance.token()
        reply = scope["reply"] = Reply(send, (b"x-request-id", request_id.encode()))
        try:
            await app(scope, receive, reply)
        finally:
            observer.on(_served(scope, reply, clock.monotonic() - began))
            # Both lead back to the server's record of the request, which holds the scope: in a
            # circle they would stay until somebody looks for garbage.
            del scope["reply"]
            scope.pop("body", None)

    return serve


def given_id(headers: dict[bytes, bytes]) -> str | None:
    """The id by which the caller knows its request, if it is one that can do no harm."""
    given = headers.get(b"x-request-id")
    if not given or len(given) > LONGEST_ID or given.translate(None, IN_IDS):
        return None
    return given.decode("ascii")


def _served(scope: Scope, reply: Reply, took: float) -> RequestServed:
    user, client = scope.get("user"), scope.get("client")
    return RequestServed(
        request_id=scope["request_id"],
        method=scope["method"],
        # As it was written, so that it cannot break a line; and without the query, which may
        # hold what is nobody's business.
        path=scope["raw_path"][:LONGEST_PATH].decode("ascii", "replace"),
        status=reply.status or CLIENT_LEFT,
        took=took,
        sent=reply.sent,
        principal=user.name if user is not None else None,
        client=client[0] if client else None,
    )
