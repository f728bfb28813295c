"""How much a request may bring: more is refused before anybody reads it."""

from __future__ import annotations

from collections.abc import Awaitable, Collection

from windlass.http.answer import Message, Send
from windlass.http.middleware.layer import Asgi, headers, refuse
from windlass.http.problems import Refusal
from windlass.http.request import Receive, Scope

PACKED = Refusal(415, "packed-body", "send the body as it is, without Content-Encoding")


class Body:
    """The `receive` of all layers inside: it counts what comes, and stops at the limit."""

    __slots__ = ("_limit", "_receive", "came", "whole")

    def __init__(self, receive: Receive, limit: int) -> None:
        """Nothing has come yet."""
        self._receive = receive
        self._limit = limit
        self.came = 0
        self.whole = False

    async def __call__(self) -> Message:
        """The next piece."""
        message = await self._receive()
        if message["type"] == "http.request":
            self.came += len(message["body"])
            self.whole = not message["more_body"]
            if self.came > self._limit:
                raise too_large(self._limit)
        return message


def bodies(app: Asgi, limit: int, batch_limit: int, batches: Collection[str]) -> Asgi:
    """Refuse what is too large or packed; `batches` are the paths that may bring more."""
    limits = dict.fromkeys(batches, batch_limit)

    def serve(scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        found = headers(scope)
        length = found.get(b"content-length")
        if length is None and b"transfer-encoding" not in found:
            return app(scope, receive, send)
        if found.get(b"content-encoding", b"identity") != b"identity":
            return refuse(PACKED, scope, send)
        most = limits.get(scope["path"], limit)
        # The parser let only digits pass.
        if length is not None and int(length) > most:
            return refuse(too_large(most), scope, send)
        body = scope["body"] = Body(receive, most)
        return app(scope, body, send)

    return serve


def too_large(limit: int) -> Refusal:
    """The refusal of more than this many bytes."""
    return Refusal(
        413,
        "too-large",
        f"the body is larger than {limit:,} bytes; store the data elsewhere and pass a reference,"
        " or send fewer jobs at once",
    )
