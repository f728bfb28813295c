"""The link of an event loop to Redis: every call has a deadline, and none is made in vain."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from typing import Any, TypeAlias

import hiredis

from windlass.clock import Chance
from windlass.core.redis_url import RedisPlace
from windlass.observe.events import Observer, RedisFound, RedisLost, RedisRefused
from windlass.redis.script import Script
from windlass.redis.wire import Idle, Part, Push, RedisAway, RedisRefusal, Reply, Wire

# Hears what is published on a channel; None after a time in which something may have been missed.
Hear: TypeAlias = Callable[[bytes | None], None]
OnEnd: TypeAlias = Callable[[Exception], None]

# What one call may cost a request.
DEADLINE = 0.05
CONNECT_WITHIN = 1.0
# Asked again after so long, longer each time; half of it is chance.
FIRST_PAUSE = 0.1
LAST_PAUSE = 2.0
# Who only listens would not notice that nobody speaks any more.
SIGN_OF_LIFE = 1.0

# The last of them: no host can have such a name.
LOST = (OSError, TimeoutError, RedisAway, UnicodeError)


class Link:
    """Calls over one connection, made when the first one wants it.

    A call that is not answered within the deadline loses the link: it and all others raise
    `RedisAway`, at once from then on, until a probe of our own has found Redis again. So a Redis
    that is dead or frozen costs a request one deadline at most, and the next ones nothing.

    Belongs to the event loop that uses it. Everybody who holds it closes it; the last one hangs up.
    """

    def __init__(
        self, place: RedisPlace, *, chance: Chance, observer: Observer, deadline: float = DEADLINE
    ) -> None:
        """Connect to nothing yet."""
        self._place = place
        self._chance = chance
        self._observer = observer
        self._deadline = deadline
        self._wire: Wire | None = None
        self._lost_at: float | None = None
        self._seeking: asyncio.Task[None] | None = None
        self._sought_at = 0.0
        self._found = asyncio.Event()
        self._hearers: dict[bytes, list[Hear]] = {}
        self._alive: asyncio.Task[None] | None = None
        self._holders = 0
        self.closed = False

    @property
    def up(self) -> bool:
        """Whether the last that was heard of Redis was good."""
        return self._wire is not None

    @property
    def lost(self) -> timedelta | None:
        """For how long Redis has not answered; None while it does."""
        if self._lost_at is None:
            return None
        return timedelta(seconds=asyncio.get_running_loop().time() - self._lost_at)

    def hold(self) -> Link:
        """Take part in it; `close` is the other half."""
        self._holders += 1
        return self

    async def close(self) -> None:
        """Hang up, if nobody else holds it."""
        self._holders -= 1
        if self._holders > 0:
            return
        self.closed = True
        tasks = [task for task in (self._seeking, self._alive) if task is not None]
        for task in tasks:
            task.cancel()
        # First: whoever waits below may be cancelled itself.
        if self._wire is not None:
            self._wire.end(Idle("closed"))
        await asyncio.gather(*tasks, return_exceptions=True)

    # --- calling ----------------------------------------------------------------------------------

    async def call(self, *command: Part) -> Reply:
        """Redis's answer to one command; `RedisAway` if there is none, or an error."""
        wire = self._wire or await self._first()
        return self.checked(await wire.call(command, self._deadline))

    async def tell(self, *command: Part, unheard: Callable[[], None]) -> None:
        """Send a command and wait for no answer; `unheard` is called if Redis did not do it.

        Whatever is called or told later is heeded later.
        """
        wire = self._wire or await self._first()

        def heed(answer: asyncio.Future[Reply]) -> None:
            try:
                self.checked(answer.result())
            except RedisAway:
                unheard()

        wire.call(command, self._deadline).add_done_callback(heed)

    async def calls(self, commands: Sequence[Sequence[Part]]) -> list[Reply]:
        """The answers to many, sent together; the first refusal raises after all are in."""
        wire = self._wire or await self._first()
        answers = [wire.call(command, self._deadline) for command in commands]
        return [self.checked(reply) for reply in await asyncio.gather(*answers)]

    async def run(self, script: Script, keys: Sequence[Part], args: Sequence[Part]) -> Reply:
        """What a script answers; Redis is sent its text if it does not know it (any more)."""
        wire = self._wire or await self._first()
        rest = (len(keys), *keys, *args)
        reply = await wire.call(("EVALSHA", script.digest, *rest), self._deadline)
        if isinstance(reply, hiredis.ReplyError) and str(reply).startswith("NOSCRIPT"):
            reply = await wire.call(("EVAL", script.text, *rest), self._deadline)
        return self.checked(reply)

    @contextmanager
    def hearing(self, channel: str, hear: Hear) -> Iterator[None]:
        """Have what is published on the channel heard, now and whenever Redis is there."""
        name = channel.encode()
        self._hearers.setdefault(name, []).append(hear)
        if len(self._hearers[name]) == 1:
            self._tell(b"SUBSCRIBE", name)
        if self._alive is None:
            self._alive = asyncio.create_task(self._keep_alive(), name="redis")
        self._seek()
        try:
            yield
        finally:
            self._hearers[name].remove(hear)
            if not self._hearers[name]:
                del self._hearers[name]
                self._tell(b"UNSUBSCRIBE", name)

    @asynccontextmanager
    async def line(self) -> AsyncIterator[Line]:
        """A second connection, for what Redis answers later; closed with the block."""
        line = Line(self)
        try:
            yield line
        finally:
            line.hang_up()

    async def wait(self) -> None:
        """Return once Redis is there."""
        self._seek()
        await self._found.wait()

    # --- connecting -------------------------------------------------------------------------------

    async def open(self, on_push: Push, on_end: OnEnd) -> Wire:
        """A new connection, greeted and ready."""
        loop, place = asyncio.get_running_loop(), self._place
        wire = Wire(on_push, on_end)
        try:
            async with asyncio.timeout(CONNECT_WITHIN):
                if place.path is not None:
                    await loop.create_unix_connection(lambda: wire, place.path)
                else:
                    tls = _tls(place)
                    await loop.create_connection(lambda: wire, place.host, place.port, ssl=tls)
                for command in _greeting(place):
                    _answered(await wire.call(command, CONNECT_WITHIN))
        except BaseException:
            wire.end(Idle("never ready"))
            raise
        return wire

    def checked(self, reply: Reply) -> Reply:
        """The reply, unless it is an error; those are told."""
        if isinstance(reply, hiredis.ReplyError):
            self._observer.on(RedisRefused(str(reply)))
        return _answered(reply)

    def doubt(self) -> None:
        """See whether Redis is still there: somebody had no answer on another connection."""
        if self._wire is not None:
            self._wire.call(("PING",), self._deadline).add_done_callback(_heard)

    async def _first(self) -> Wire:
        """Wait for the first connection, but no longer than for an answer."""
        if self._lost_at is not None or self.closed:
            raise RedisAway("Redis is away")
        self._seek()
        left = self._sought_at + self._deadline - asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(max(left, 0.0)):
                await self._found.wait()
        except TimeoutError:
            raise RedisAway("Redis is not there yet") from None
        if self._wire is None:
            raise RedisAway("Redis was here for a moment only")
        return self._wire

    def _seek(self) -> None:
        seeking = self._seeking is not None and not self._seeking.done()
        if self._wire is None and not seeking and not self.closed:
            self._sought_at = asyncio.get_running_loop().time()
            self._seeking = asyncio.create_task(self._find(), name="seek redis")

    async def _find(self) -> None:
        pause = FIRST_PAUSE
        while self._wire is None:
            if self._lost_at is not None:
                await asyncio.sleep(pause * (0.5 + 0.5 * self._chance.random()))
                pause = min(2 * pause, LAST_PAUSE)
            try:
                self._wire = await self.open(self._hear, self._ended)
            except LOST as error:
                self._lose(error)
        self._seeking = None
        self._regain()

    def _regain(self) -> None:
        if self._lost_at is not None:
            after = asyncio.get_running_loop().time() - self._lost_at
            self._lost_at = None
            self._observer.on(RedisFound(after))
        self._found.set()
        for channel, hearers in list(self._hearers.items()):
            self._tell(b"SUBSCRIBE", channel)
            for hear in list(hearers):
                hear(None)

    def _ended(self, why: Exception) -> None:
        """The connection is gone; one that nobody used may have been closed for a good reason."""
        self._wire = None
        self._found.clear()
        if self.closed:
            return
        if not isinstance(why, Idle):
            self._lose(why)
        if self._lost_at is not None or self._hearers:
            self._seek()

    def _lose(self, error: Exception) -> None:
        if self._lost_at is None:
            self._lost_at = asyncio.get_running_loop().time()
            self._observer.on(RedisLost(str(error) or type(error).__name__))

    # --- hearing ----------------------------------------------------------------------------------

    def _tell(self, verb: bytes, channel: bytes) -> None:
        if self._wire is not None:
            self._wire.send((verb, channel))

    def _hear(self, push: Sequence[Any]) -> None:
        if push[0] == b"message":
            for hear in list(self._hearers.get(push[1], ())):
                hear(push[2])

    async def _keep_alive(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(SIGN_OF_LIFE)
            if self._wire is not None and loop.time() - self._wire.heard_at >= SIGN_OF_LIFE:
                self.doubt()
            self._seek()


class Line:
    """A connection for one who waits, perhaps for long, and does so only while Redis is there."""

    def __init__(self, link: Link) -> None:
        """Connect to nothing yet."""
        self._link = link
        self._wire: Wire | None = None

    async def call(self, *command: Part, within: float) -> Reply:
        """Redis's answer; who stops waiting for it hangs up, since it might still come."""
        if not self._link.up:
            raise RedisAway("Redis is away")
        try:
            if self._wire is None:
                self._wire = await self._link.open(_ignore, self._ended)
            return self._link.checked(await self._wire.call(command, within))
        except RedisRefusal:
            raise
        except LOST as error:
            self._link.doubt()
            raise RedisAway(str(error)) from error
        except asyncio.CancelledError:
            self.hang_up()
            raise

    def hang_up(self) -> None:
        """Let go of the connection."""
        if self._wire is not None:
            self._wire.end(Idle("closed"))

    def _ended(self, _: Exception) -> None:
        self._wire = None


def _greeting(place: RedisPlace) -> Iterator[tuple[Part, ...]]:
    """What to say first; the last is refused by a server that is not ready yet."""
    if place.password is not None:
        yield ("HELLO", 3, "AUTH", place.user or "default", place.password)
    else:
        yield ("HELLO", 3)
    yield ("CLIENT", "SETNAME", "windlass")
    if place.database:
        yield ("SELECT", place.database)
    yield ("PING",)


def _answered(reply: Reply) -> Reply:
    if isinstance(reply, hiredis.ReplyError):
        raise RedisRefusal(str(reply))
    return reply


def _tls(place: RedisPlace) -> ssl.SSLContext | None:
    if not place.tls:
        return None
    context = ssl.create_default_context(cafile=place.authorities)
    if not place.checked:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _ignore(_: Sequence[Any]) -> None:
    """Nothing is published to who does not subscribe."""


def _heard(answer: asyncio.Future[Reply]) -> None:
    """Take note of how it ended; the link knows already."""
    answer.cancelled() or answer.exception()
