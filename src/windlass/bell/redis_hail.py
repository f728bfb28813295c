"""Calls out through Redis to every process that listens there."""

from __future__ import annotations

from contextlib import AbstractContextManager
from datetime import timedelta

from windlass.bell.hail import Hear
from windlass.redis.link import Link
from windlass.redis.wire import RedisAway


class RedisHail:
    """Says it through Redis."""

    def __init__(self, link: Link, prefix: str) -> None:
        """Take a link that this may close; subjects are those of one store."""
        self._link = link
        self._prefix = prefix

    @property
    def up(self) -> bool:
        """Whether Redis is there."""
        return self._link.up

    @property
    def lost(self) -> timedelta | None:
        """How long Redis has been away, if it is."""
        return self._link.lost

    async def say(self, subject: str, said: bytes) -> int:
        """Publish it, if Redis is there."""
        try:
            return int(await self._link.call("PUBLISH", f"{self._prefix}{subject}", said))
        except RedisAway:
            return 0

    def hearing(self, subject: str, hear: Hear) -> AbstractContextManager[None]:
        """Subscribe while the block runs."""
        return self._link.hearing(f"{self._prefix}{subject}", hear)

    async def close(self) -> None:
        """Let go of the link."""
        await self._link.close()
