"""One request, as routes see it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import parse_qsl, unquote

from windlass.http.answer import Message
from windlass.http.problems import Refusal

if TYPE_CHECKING:
    from windlass.http.access import Principal

Scope: TypeAlias = dict[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]

# More parameters than any route has are an attack on whoever splits them.
MOST_PARAMETERS = 100


class Gone(Exception):
    """Whoever asked hung up before the whole request was here."""


class Request:
    """What was asked, and by whom."""

    __slots__ = ("_receive", "method", "path", "scope")

    def __init__(self, scope: Scope, receive: Receive) -> None:
        """Read nothing yet."""
        self.scope = scope
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self._receive = receive

    @property
    def headers(self) -> Mapping[bytes, bytes]:
        """The headers by lower-case name; of one that came twice the last. Made once."""
        found: dict[bytes, bytes] | None = self.scope.get("headers_by_name")
        if found is None:
            found = self.scope["headers_by_name"] = dict(self.scope["headers"])
        return found

    @property
    def principal(self) -> Principal | None:
        """Who asks, as far as is known."""
        return self.scope.get("user")

    @property
    def id(self) -> str | None:
        """What this request is called in the log."""
        return self.scope.get("request_id")

    @property
    def client(self) -> str:
        """The address it came from."""
        client = self.scope.get("client")
        return client[0] if client else "unknown"

    def parts(self) -> list[str]:
        """The path between its slashes; a slash that is part of a name comes as %2F."""
        raw: bytes = self.scope["raw_path"]
        try:
            parts = raw.decode("ascii").split("/")[1:]
            return [unquote(part, errors="strict") for part in parts] if b"%" in raw else parts
        except UnicodeDecodeError:
            raise Refusal(400, "bad-path", "the path is not UTF-8") from None

    def header(self, name: bytes) -> str | None:
        """A header as text."""
        value = self.headers.get(name)
        return None if value is None else value.decode("latin-1")

    def parameters(self) -> dict[str, str]:
        """What the query string says; one that came twice is refused rather than guessed at."""
        try:
            pairs = parse_qsl(
                self.scope["query_string"].decode("ascii"),
                keep_blank_values=True,
                max_num_fields=MOST_PARAMETERS,
                errors="strict",
            )
        except ValueError:
            raise Refusal(400, "bad-query", "the query string cannot be read") from None
        found = dict(pairs)
        if len(found) < len(pairs):
            raise Refusal(400, "bad-query", "a parameter is there twice; list values with commas")
        return found

    async def body(self) -> bytes:
        """The whole body."""
        message = await self._receive()
        if message["type"] == "http.request" and not message.get("more_body"):
            whole: bytes = message.get("body", b"")
            return whole
        parts = []
        while message["type"] == "http.request":
            parts.append(message.get("body", b""))
            if not message.get("more_body"):
                return b"".join(parts)
            message = await self._receive()
        raise Gone

    async def gone(self) -> None:
        """Return when whoever asked has hung up; for answers that go on for long."""
        while (await self._receive())["type"] != "http.disconnect":
            pass
