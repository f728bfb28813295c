"""The bell of Redis: one job wakes one worker, by a token that one of those who wait takes."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import NoReturn

from msgspec.structs import replace

from windlass.bell import words as wire
from windlass.bell.base import EVERY, PUBLIC, WIDE, Bell, Ear
from windlass.bell.inbox import Inbox
from windlass.core.herald import Herald
from windlass.observe.events import BellRung, Observer
from windlass.redis.link import Link
from windlass.redis.script import Script
from windlass.redis.wire import RedisAway

RING = Script.load("ring")


class RedisBell:
    """Tokens for those who wait in Redis; for all others the store's own bell rings.

    Nodes hear both, so whoever cannot reach Redis, or finds nobody waiting there, rings the other.
    """

    def __init__(self, link: Link, own: Bell, *, prefix: str, observer: Observer) -> None:
        """Take a link that the bell may close, and the store's own bell, likewise."""
        self._link = link
        self._own = own
        self._prefix = prefix
        self._observer = observer
        self._rings: Counter[tuple[str, ...]] = Counter()
        self._ringing: asyncio.Task[None] | None = None

    async def ring(self, words: Sequence[str], jobs: int = 1) -> None:
        """Send the words soon; what rings meanwhile goes together."""
        if not words:
            return
        self._rings[tuple(words)] += jobs
        if self._ringing is None or self._ringing.done():
            self._ringing = asyncio.create_task(self._run(), name="ring")

    def herald(self, words: Sequence[str]) -> Herald | None:
        """One that tells a worker which stands by, where the store's own bell can do so.

        Nobody else: if there is none, one of those who wait in Redis is told.
        """
        herald = self._own.herald(words)
        if herald is None or herald.channel is None:
            return None
        return replace(herald, channel=None)

    @asynccontextmanager
    async def listen(self, name: str | None = None) -> AsyncIterator[Ear]:
        """Hear the store's own bell, and what is for all; tokens are for who waits for them."""
        ear = Inbox()
        channel = f"{self._prefix}words"
        async with self._own.listen(name) as own:
            with self._link.hearing(channel, lambda published: ear.hear(_heard(published))):
                passing_on = asyncio.create_task(_pass_on(own, ear), name="pass on")
                try:
                    yield ear
                finally:
                    passing_on.cancel()
                    await asyncio.wait([passing_on])

    async def close(self) -> None:
        """Send what was rung already, and let go of connections."""
        if self._ringing is not None:
            await self._ringing
        await self._link.close()
        await self._own.close()

    async def _run(self) -> None:
        while self._rings:
            rings, self._rings = self._rings, Counter()
            await asyncio.gather(*(self._send(*ring) for ring in rings.items()))

    async def _send(self, words: Sequence[str], jobs: int) -> None:
        public = [word for word in words if word in PUBLIC]
        queues = [word for word in words if word not in PUBLIC and word != WIDE]
        token = [word for word in words if word not in PUBLIC]
        try:
            waiting, heard = await self._link.run(
                RING,
                [f"{self._prefix}kinds", f"{self._prefix}words"],
                [self._prefix, jobs, wire.encode(token), _published(public), *queues],
            )
        except RedisAway:
            await self._own.ring(words, jobs)
            return
        missed = [*(() if waiting else token), *(() if heard else public)]
        if missed:
            await self._own.ring(missed, jobs)
        else:
            self._observer.on(BellRung(words))


async def _pass_on(own: Ear, ear: Inbox) -> NoReturn:
    while True:
        ear.hear(await own.wait())


def _heard(published: bytes | None) -> Sequence[str]:
    """What was said to all; after a gap it may have been anything."""
    return [EVERY] if published is None else wire.decode(published)


def _published(words: Sequence[str]) -> bytes:
    return wire.encode(words) if words else b""
