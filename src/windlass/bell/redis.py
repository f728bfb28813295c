"""The bell of Redis: one job wakes one worker, by a token that one of those who wait takes."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec

from windlass.bell import words as wire
from windlass.bell.base import ASKED, CHANGED, EVERY, LATER, WIDE, Bell, Ear, Kind
from windlass.bell.inbox import Inbox
from windlass.clock import Chance
from windlass.observe.events import BellRung, Observer
from windlass.redis.link import Line, Link
from windlass.redis.script import Script
from windlass.redis.wire import Part, RedisAway, RedisRefusal

RING = Script.load("ring")
ATTEND = Script.load("attend")

# For all, whoever has room.
PUBLIC = frozenset({ASKED, CHANGED, LATER})
# One wait for a token, and how much later its end may be told.
WAIT = 1.0
LATE = 0.5
# Who waits says so this often, and is taken to wait for this long.
RENEW = 1.0
ATTENDS_MS = 3_000
# Before another try after Redis was lost under us, or refused us, which it would do again.
LOST = 0.05
REFUSED = 1.0


class RedisBell:
    """Tokens for those who wait in Redis; for all others the store's own bell rings.

    Nodes hear both, so whoever cannot reach Redis, or finds nobody waiting there, rings the other.
    """

    def __init__(
        self, link: Link, own: Bell, *, prefix: str, chance: Chance, observer: Observer
    ) -> None:
        """Take a link that the bell may close, and the store's own bell, likewise."""
        self._link = link
        self._own = own
        self._prefix = prefix
        self._chance = chance
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

    @asynccontextmanager
    async def listen(self) -> AsyncIterator[Ear]:
        """Hear the store's own bell, what is for all, and tokens while there is room."""
        async with self._own.listen() as own, self._link.line() as line:
            ear = RedisEar(self._link, line, self._prefix, self._chance.token()[:12])
            with self._link.hearing(f"{self._prefix}words", ear.hear):
                tasks = [asyncio.create_task(ear.pass_on(own)), asyncio.create_task(ear.take())]
                try:
                    yield ear
                finally:
                    for task in tasks:
                        task.cancel()
                    await asyncio.gather(*tasks, return_exceptions=True)

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


class RedisEar:
    """The words that a node hears, and the tokens that it takes while its workers have room."""

    def __init__(self, link: Link, line: Line, prefix: str, name: str) -> None:
        """Begin with nobody who has room."""
        self._link = link
        self._line = line
        self._prefix = prefix
        self._name = name
        self._inbox = Inbox()
        self._kind: Kind | None = None
        self._workers = 0
        self._room = asyncio.Event()
        self._taken = asyncio.Event()
        self._told = 0  # how many workers are said to wait …
        self._renew_at = 0.0  # … and until when that need not be said again

    async def wait(self) -> Sequence[str]:
        """Return once there are words."""
        words = await self._inbox.wait()
        self._taken.set()
        return words

    def attend(self, kind: Kind, workers: int) -> None:
        """Wait for as many tokens as workers have room."""
        if kind != self._kind:
            self._kind, self._told = kind, 0
        self._workers = workers
        if workers:
            self._room.set()
        else:
            self._room.clear()

    def hear(self, published: bytes | None) -> None:
        """Keep what was said to all; after a gap it may have been anything."""
        self._inbox.hear([EVERY] if published is None else wire.decode(published))

    async def pass_on(self, own: Ear) -> None:
        """Hear the store's own bell."""
        while True:
            self._inbox.hear(await own.wait())

    async def take(self) -> None:
        """Take token after token, while there are Redis and room."""
        while True:
            await self._room.wait()
            await self._link.wait()
            try:
                await self._take_one()
            except RedisRefusal:
                await asyncio.sleep(REFUSED)
            except RedisAway:
                self._told = 0
                await asyncio.sleep(LOST)

    async def _take_one(self) -> None:
        if self._kind is None:
            return
        await self._say_so(self._kind)
        popped = await self._line.call("BLPOP", self._tokens, WAIT, within=WAIT + LATE)
        if popped is None:
            return
        if not self._workers:
            await self._give_back(popped[1])
            return
        # One token is for one worker: the next is taken when somebody has been told of this one.
        self._taken.clear()
        self._inbox.hear(wire.decode(popped[1]))
        await self._taken.wait()

    async def _say_so(self, kind: Kind) -> None:
        now = asyncio.get_running_loop().time()
        if now < self._renew_at and self._workers <= self._told:
            return
        keys = [f"{self._prefix}kinds", f"{self._prefix}waiting:{kind.name}"]
        queues = "*" if kind.queues is None else msgspec.json.encode(kind.queues).decode()
        args: list[Part] = [f"{kind.name} {queues}", self._name, self._workers, ATTENDS_MS]
        unbroken = await self._link.run(ATTEND, keys, args)
        self._told, self._renew_at = self._workers, now + RENEW
        if not unbroken:
            self._inbox.hear([EVERY])  # what was rung before we waited was no token for us

    async def _give_back(self, token: bytes) -> None:
        """Leave a token to others: there was room when we began to wait, and is none any more."""
        await self._link.calls(
            [("RPUSH", self._tokens, token), ("PEXPIRE", self._tokens, ATTENDS_MS)]
        )

    @property
    def _tokens(self) -> str:
        return f"{self._prefix}tokens:{self._kind.name if self._kind else ''}"


def _published(words: Sequence[str]) -> bytes:
    return wire.encode(words) if words else b""
