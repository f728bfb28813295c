"""An answer on its way out: what is known of it, and what every answer carries."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable

from windlass.http.answer import Header, Message, Send
from windlass.http.middleware.security_headers import protective


class Reply:
    """The `send` of all layers inside: it counts what passes, and adds headers to it."""

    __slots__ = ("_send", "extra", "sent", "status")

    def __init__(self, send: Send, *extra: Header) -> None:
        """Nothing was sent yet; `extra` may still grow."""
        self._send = send
        self.extra: list[Header] = [*extra]
        self.status = 0
        self.sent = 0

    @property
    def begun(self) -> bool:
        """Whether its status is out, and nothing can be taken back."""
        return self.status != 0

    def __call__(self, message: Message) -> Awaitable[None]:
        """Send on."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = self._dressed(message["headers"])
        else:
            self.sent += len(message["body"])
        return self._send(message)

    def _dressed(self, headers: Iterable[Header]) -> list[Header]:
        own = list(headers)
        return [*own, *protective(own), *self.extra]
