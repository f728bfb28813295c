"""Resizes pictures."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypedDict
from urllib.parse import urljoin

from msgspec import Meta, Struct

from windlass.clock import Clock
from windlass.executors.base import Discard
from windlass.executors.context import MAX_FILE, Context
from windlass.executors.door import Door
from windlass.executors.exchange import Message, Terms, Unreachable
from windlass.executors.reach import check_url
from windlass.executors.webhook import refusal

if TYPE_CHECKING:
    from windlass.executors.pixels import Picture

Side = Annotated[int, Meta(ge=1, le=16_000, description="pixels")]

FETCH = Terms(within=15.0, most=MAX_FILE, reading=30.0)
ACCEPT = {"user-agent": "Windlass", "accept": "image/webp,image/png,image/jpeg,image/gif"}
OK = 200
REDIRECTS = frozenset({301, 302, 303, 307, 308})
MOST_REDIRECTS = 3


class Resizing(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The payload of a job of type `resize_image`: a picture by its URL, or in base64.

    With one side given the other follows. With both, `fit` says what becomes of a picture of
    another shape: `fill` stretches it, `contain` keeps it within, `cover` cuts what stands out.
    """

    url: str | None = None
    image: Annotated[bytes, Meta(description="in base64")] | None = None
    width: Side | None = None
    height: Side | None = None
    fit: Literal["fill", "contain", "cover"] = "fill"
    format: Literal["png", "jpeg", "webp", "gif"] | None = None  # None: as it is

    def __post_init__(self) -> None:
        """Refuse what leaves open what to do."""
        if (self.url is None) == (self.image is None):
            raise ValueError("give `url` or `image`, one of them")
        if self.width is None and self.height is None:
            raise ValueError("give `width` or `height`, or both")
        if self.url is not None:
            check_url(self.url)


class Resized(TypedDict):
    """What is said of a picture that was kept."""

    file: str
    type: str
    width: int
    height: int
    bytes: int


class ResizeImage:
    """Fetches a picture through the webhooks' door, resizes it, and keeps it with the job."""

    type: ClassVar[str] = "resize_image"
    thread_demand: ClassVar[int] = 1

    def __init__(self, door: Door, clock: Clock) -> None:
        """Fetch through this door."""
        self._door = door
        self._clock = clock

    async def execute(self, wanted: Resizing, ctx: Context) -> Resized:
        """Resize one picture."""
        given = wanted.image
        source = given if given is not None else await self._fetch(wanted.url or "", ctx)
        picture = await _in_a_thread(lambda: _resize(source, wanted))
        if len(picture.content) > MAX_FILE:
            raise Discard(f"the picture would have {len(picture.content):,} bytes; make it smaller")
        name, kind = f"resized.{picture.format}", f"image/{picture.format}"
        ctx.keep(name, picture.content, kind)
        return Resized(
            file=name,
            type=kind,
            width=picture.width,
            height=picture.height,
            bytes=len(picture.content),
        )

    async def close(self) -> None:
        """Close every connection."""
        await self._door.close()

    async def _fetch(self, url: str, ctx: Context, redirects: int = MOST_REDIRECTS) -> bytes:
        """The file at the URL; where it is redirected to is looked at like the first place."""
        message = Message(method="GET", url=url, headers=ACCEPT)
        reply = await self._door.send(message, FETCH, ctx.check)
        if reply.status in REDIRECTS and redirects:
            there = _next(url, reply.headers.get("Location", ""))
            return await self._fetch(there, ctx, redirects - 1)
        if reply.status != OK:
            raise refusal(reply, self._clock.now_us() / 1e6)
        if not reply.whole and len(reply.body) >= MAX_FILE:
            raise Discard(f"the picture has more than {MAX_FILE:,} bytes")
        if not reply.whole:
            raise Unreachable("the picture broke off, or took too long")
        return reply.body


def _next(url: str, location: str) -> str:
    there = urljoin(url, location)
    try:
        check_url(there)
    except ValueError as problem:
        raise Discard(f"the picture is elsewhere, but {problem}") from None
    return there


def _resize(source: bytes, wanted: Resizing) -> Picture:
    try:
        # Imported late: it is an extra.
        from windlass.executors.pixels import BadPicture, Wish, resize  # noqa: PLC0415
    except ImportError:
        raise Discard(
            "pictures need Pillow; install it where workers run: pip install 'windlass[images]'"
        ) from None
    wish = Wish(width=wanted.width, height=wanted.height, fit=wanted.fit, format=wanted.format)
    try:
        return resize(source, wish)
    except BadPicture as problem:
        raise Discard(str(problem)) from None


async def _in_a_thread(work: Callable[[], Picture]) -> Picture:
    """Do it in a thread. It cannot be stopped there, so its place is not free before it ends."""
    task = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        with suppress(Discard):
            await task
        raise
