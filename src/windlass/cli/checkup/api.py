"""The API: whether it could listen here, and who would be let in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from windlass.cli.checkup.finding import Finding, ok, problem, warning
from windlass.config import Settings
from windlass.core.errors import BadInput
from windlass.http.middleware.hosts import bracketed, is_wildcard
from windlass.http.secret import Secret
from windlass.wiring.listening import exposed, listeners

PATIENCE = 1.0


async def examine(settings: Settings) -> AsyncIterator[Finding]:
    """Look at what `windlass up` and `windlass serve` would do with these settings."""
    yield _access(settings)
    yield await _port(settings)


def _access(settings: Settings) -> Finding:
    try:
        if settings.secret is not None:
            Secret(settings.secret)
        opened = exposed(settings)
    except BadInput as refused:
        return problem("access", str(refused), "until then `windlass up` does not start")
    if opened is not None:
        return warning("access", opened, "see that a proxy or a private network guards it")
    if settings.secret is not None or settings.jwks is not None:
        return ok("access", "whoever asks the API needs a token")
    return ok("access", "no secret is set: the API answers this machine only, without a token")


async def _port(settings: Settings) -> Finding:
    host = "127.0.0.1" if is_wildcard(settings.host) else settings.host
    place = f"{bracketed(host)}:{settings.port}"
    if settings.port and await _answers(host, settings.port, place):
        return ok("port", f"a Windlass listens at {place}")
    try:
        for one in listeners(settings.host, settings.port)[0]:
            one.close()
    except BadInput as refused:
        return warning("port", str(refused), "until then `windlass up` does not start")
    return ok("port", f"nobody listens at {place} yet")


async def _answers(host: str, port: int, place: str) -> bool:
    """Whether a Windlass is there."""
    try:
        async with asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_connection(host, port)
            try:
                writer.write(f"GET /health HTTP/1.0\r\nHost: {place}\r\n\r\n".encode())
                return (await reader.read()).endswith(b"\r\n\r\nok")
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return False
