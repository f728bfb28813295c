"""Tokens in Redis: who enqueues puts them there, and one of the workers that wait takes each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from windlass.bell import words as wire
from windlass.bell.base import EVERY
from windlass.bell.tokens import HasRoom, Kind, Wake
from windlass.clock import Chance
from windlass.redis.link import Line, Link
from windlass.redis.script import Script
from windlass.redis.wire import Part, RedisAway, RedisRefusal

ATTEND = Script.load("attend")

# One wait for a token, and how much later its end may be told.
WAIT = 1.0
LATE = 0.5
# Who waits says so this often, and is taken to wait for this long.
RENEW = 1.0
ATTENDS_MS = 3_000
# Before another try after Redis was lost under us, or refused us, which it would do again.
LOST = 0.05
REFUSED = 1.0


class RedisTokens:
    """Lets workers wait in Redis."""

    def __init__(self, link: Link, prefix: str, chance: Chance) -> None:
        """Take a link that this may close; tokens are those of one store."""
        self._link = link
        self._prefix = prefix
        self._chance = chance

    @asynccontextmanager
    async def taking(self, kind: Kind, wake: Wake) -> AsyncIterator[HasRoom]:
        """Take tokens while there are Redis and room."""
        async with self._link.line() as line:
            taker = Taker(self._link, line, self._prefix, self._chance.token()[:12], kind, wake)
            task = asyncio.create_task(taker.run(), name="tokens")
            try:
                yield taker.has_room
            finally:
                task.cancel()
                await asyncio.wait([task])

    async def close(self) -> None:
        """Let go of the link."""
        await self._link.close()


class Taker:
    """One who takes token after token, and says in Redis that it waits."""

    def __init__(
        self, link: Link, line: Line, prefix: str, name: str, kind: Kind, wake: Wake
    ) -> None:
        """Begin without room."""
        self._link = link
        self._line = line
        self._wake = wake
        self._name = name
        self._waiting = [f"{prefix}kinds", f"{prefix}waiting:{kind.name}"]
        self._tokens = f"{prefix}tokens:{kind.name}"
        queues = "*" if kind.queues is None else msgspec.json.encode(kind.queues).decode()
        self._kind = f"{kind.name} {queues}"
        self._room = asyncio.Event()
        self._renew_at = 0.0  # until when it need not be said again that it waits

    def has_room(self, room: bool) -> None:  # noqa: FBT001
        """Wait for tokens, or leave them to others."""
        if room:
            self._room.set()
        else:
            self._room.clear()

    async def run(self) -> None:
        """Take token after token, while there are Redis and room."""
        while True:
            await self._room.wait()
            await self._link.wait()
            try:
                await self._take_one()
            except RedisRefusal:
                await asyncio.sleep(REFUSED)
            except RedisAway:
                self._renew_at = 0.0
                await asyncio.sleep(LOST)

    async def _take_one(self) -> None:
        await self._say_so()
        popped = await self._line.call("BLPOP", self._tokens, WAIT, within=WAIT + LATE)
        if popped is None:
            return
        if not self._room.is_set():
            await self._give_back(popped[1])
            return
        self._wake(wire.decode(popped[1]))
        await asyncio.sleep(0)  # whoever was woken goes first

    async def _say_so(self) -> None:
        now = asyncio.get_running_loop().time()
        if now < self._renew_at:
            return
        args: list[Part] = [self._kind, self._name, ATTENDS_MS]
        unbroken = await self._link.run(ATTEND, self._waiting, args)
        self._renew_at = now + RENEW
        if not unbroken:
            self._wake([EVERY])  # what was rung before we waited was no token for us

    async def _give_back(self, token: bytes) -> None:
        """Leave a token to others: there was room when we began to wait, and is none any more."""
        await self._link.calls(
            [("RPUSH", self._tokens, token), ("PEXPIRE", self._tokens, ATTENDS_MS)]
        )
