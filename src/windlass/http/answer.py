"""What is sent back: a whole answer, or a stream of events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, MutableMapping
from contextlib import aclosing
from http import HTTPStatus
from typing import Any, NamedTuple, TypeAlias

import msgspec

Header: TypeAlias = tuple[bytes, bytes]
Message: TypeAlias = MutableMapping[str, Any]
Send: TypeAlias = Callable[[Message], Awaitable[None]]

JSON = b"application/json"
# Answers that never have a body, and may not say how long it is (RFC 9110, 8.6).
LENGTHLESS = frozenset({HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED})
# A reader that takes nothing for so many seconds is not waited for any longer.
PATIENCE = 30.0
TEXT = b"text/plain; charset=utf-8"

encode = msgspec.json.Encoder().encode


class Answer(NamedTuple):
    """An answer that is known as a whole."""

    status: int = 200
    body: bytes = b""
    headers: tuple[Header, ...] = ()
    media: bytes = JSON


class Stream(NamedTuple):
    """An answer that goes on until `chunks` end or the reader leaves."""

    chunks: AsyncGenerator[bytes]
    media: bytes
    headers: tuple[Header, ...] = ()


def json(value: object, status: int = 200, headers: tuple[Header, ...] = ()) -> Answer:
    """The value as JSON."""
    return Answer(status, encode(value), headers)


def text(words: str, status: int = 200) -> Answer:
    """Plain words."""
    return Answer(status, words.encode(), (), TEXT)


async def send(answer: Answer, to: Send, *, bodiless: bool = False) -> None:
    """Send it; to a HEAD request without its body."""
    headers = [*answer.headers]
    if answer.status not in LENGTHLESS:
        headers.append((b"content-length", b"%d" % len(answer.body)))
    if answer.body:
        headers.append((b"content-type", answer.media))
    await to({"type": "http.response.start", "status": answer.status, "headers": headers})
    await to({"type": "http.response.body", "body": b"" if bodiless else answer.body})


async def stream(answer: Stream, to: Send, left: Coroutine[Any, Any, None]) -> None:
    """Send chunk after chunk, until there is none or the reader has left."""
    headers = [*answer.headers, (b"content-type", answer.media)]
    await to({"type": "http.response.start", "status": 200, "headers": headers})
    flowing = asyncio.create_task(_flow(answer.chunks, to))
    leaving = asyncio.create_task(left)
    try:
        await asyncio.wait({flowing, leaving}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        flowing.cancel()
        leaving.cancel()
        await asyncio.gather(flowing, leaving, return_exceptions=True)


async def _flow(chunks: AsyncGenerator[bytes], to: Send) -> None:
    async with aclosing(chunks):
        async for chunk in chunks:
            async with asyncio.timeout(PATIENCE):
                await to({"type": "http.response.body", "body": chunk, "more_body": True})
    await to({"type": "http.response.body", "body": b""})
