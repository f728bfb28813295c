"""What both clients know of httpx2: where requests go, and what its errors mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypedDict
from urllib.parse import urlsplit

from msgspec import Struct

from windlass.client.exchange import Answer, Request, Silence
from windlass.core.errors import BadInput
from windlass.core.secrets import without_secrets

try:
    import httpx2
except ModuleNotFoundError as problem:
    raise ImportError(
        "the client needs a library that is missing; run: pip install 'windlass[client]'"
    ) from problem

Token: TypeAlias = str | Callable[[], str] | None

HERE = "http://127.0.0.1:8080"
# The request was not sent; all else may have arrived.
UNSENT = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.PoolTimeout,
    httpx2.ProxyError,
    httpx2.UnsupportedProtocol,
)


class Sent(TypedDict):
    """A request as httpx2 takes it."""

    method: str
    url: str
    params: dict[str, str]
    content: bytes | None
    headers: dict[str, str]


class Address(Struct, frozen=True):
    """Where a service is, and the token that it is shown."""

    url: str
    token: Token

    def __post_init__(self) -> None:
        """Refuse what is no address."""
        if not _is_address(self.url):
            raise BadInput(f"{self} is no address of a service; write it like {HERE}")

    def to(self, request: Request) -> Sent:
        """The request as it is sent there."""
        return {
            "method": request.method,
            "url": self.url.rstrip("/") + request.path,
            "params": dict(request.query),
            "content": request.body,
            "headers": {"user-agent": "windlass-client", **request.headers, **self._shown()},
        }

    def _shown(self) -> dict[str, str]:
        token = self.token() if callable(self.token) else self.token
        if not token:
            return {}
        token = token.strip()  # a file that it was read from ends with a new line
        if not (token.isascii() and token.isprintable()):
            raise BadInput("the token has characters that no token has; `windlass token` makes one")
        return {"authorization": f"Bearer {token}"}

    def __repr__(self) -> str:
        return repr(without_secrets(self.url))


def answer(response: httpx2.Response) -> Answer:
    """What was answered; its body has been read."""
    return Answer(response.status_code, response.headers, response.content)


def silence(problem: httpx2.TransportError) -> Silence:
    """What it means that there was no answer."""
    said = without_secrets(str(problem)) or type(problem).__name__
    return Silence(said, heard=not isinstance(problem, UNSENT))


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and not ({"?", "#"} & {*url})


__all__ = ["HERE", "Address", "Token", "answer", "httpx2", "silence"]
