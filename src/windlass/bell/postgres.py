"""The bell of PostgreSQL: NOTIFY after the commit, LISTEN on one connection per process."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress

from windlass.bell import words as wire
from windlass.bell.base import EVERY, FAR, NEAR, Ear
from windlass.bell.inbox import Inbox
from windlass.bell.line import LOST, Connect, Connection, Line
from windlass.bell.outbox import Outbox
from windlass.clock import Chance
from windlass.core.herald import Herald
from windlass.loop import Loop, Pace
from windlass.observe.events import BellLost, BellRung, Observer

# With the five seconds of a line, a dead peer is noticed and another line heard within 15; the
# kernel would need hours.
PROBE_EVERY = 9.0
HEARD_WITHIN = 3.0
# A pooler in transaction mode takes LISTEN and delivers nothing; ask again, should it be replaced.
DEAF_FOR = 60.0


def channel_of(schema: str) -> str:
    """The channel of a schema's bell; PostgreSQL cuts names at 63 bytes, so odd ones are hashed."""
    if re.fullmatch(r"[a-z0-9_]{1,40}", schema):
        return f"windlass_{schema}"
    return f"windlass_{hashlib.sha256(schema.encode()).hexdigest()[:32]}"


def notify_statement(channel: str, words: Sequence[str]) -> str:
    """A NOTIFY as plain text, which poolers pass; a word that needs quoting rings for all."""
    payload = wire.encode(words).decode()
    if "'" in payload or "\\" in payload:
        payload = wire.encode([EVERY]).decode()
    return f"notify \"{channel}\", '{payload}'"


class PostgresBell:
    """Sends at most one NOTIFY per 2 ms, and listens on the connection that it sends on."""

    def __init__(
        self, connect: Connect, schema: str, *, chance: Chance, observer: Observer
    ) -> None:
        """Take a way to a connection that no pooler shares, if it is to listen."""
        self._channel = channel_of(schema)
        self._chance = chance
        self._observer = observer
        self._connect = connect
        self._line = Line(connect)
        self._outbox = Outbox(self._notify)

    async def ring(self, words: Sequence[str], jobs: int = 1) -> None:  # noqa: ARG002
        """Send the words soon; nobody waits for it."""
        self._outbox.put(words)

    def herald(self, words: Sequence[str]) -> Herald | None:
        """A NOTIFY inside the commit, if none was sent lately.

        Commits that notify wait for each other, disk included; but the first after a pause reaches
        those who listen by a way to the client and back sooner.
        """
        if not self._outbox.quiet:
            return None
        self._outbox.rest()
        return Herald(wire.encode(words).decode(), self._channel)

    @asynccontextmanager
    async def listen(self, name: str | None = None) -> AsyncIterator[Ear]:
        """Hear every ring; after each (re)connect an `EVERY` stands for those that were missed."""
        ear = Inbox()
        attending = Loop(
            "listen",
            Pace(every=DEAF_FOR),
            lambda: self._attend(ear, name),
            chance=self._chance.random,
            report=lambda _, error: self._lost(error),
        )
        task = asyncio.create_task(attending.run(), name="listen")
        try:
            yield ear
        finally:
            task.cancel()
            await asyncio.wait([task])

    async def close(self) -> None:
        """Send what was rung already, and let go of the connection."""
        await self._outbox.flush()
        await self._line.close()

    async def _notify(self, words: Sequence[str]) -> None:
        try:
            await self._line.say(notify_statement(self._channel, words))
        except LOST as error:
            self._lost(error)
        else:
            self._observer.on(BellRung(words))

    async def _attend(self, ear: Inbox, name: str | None) -> float:
        """Listen for as long as one connection lives; answer only if it turns out to be deaf."""

        def hear(_connection: object, _pid: int, _channel: str, payload: object) -> None:
            ear.hear(wire.decode(str(payload)))

        async with self._hearing(self._channel, hear) as connection:
            ended = asyncio.Event()
            connection.add_termination_listener(lambda _: ended.set())
            # Over a slow line it takes seconds to know more, and meanwhile rings are heard.
            ear.hear([EVERY])
            if await self._is_deaf():
                self._observer.on(BellLost("notifications do not arrive: a pooler is in between"))
                return DEAF_FOR
            async with self._near(ear, name):
                await self._keep_alive(connection, ended)
        raise ConnectionResetError("the connection that listens was closed")

    @asynccontextmanager
    async def _near(self, ear: Inbox, name: str | None) -> AsyncIterator[None]:
        """Hear what is for this one alone, too; it comes as one word."""
        if name is None:
            yield
            return
        async with self._hearing(f"windlass_{name}", lambda *said: ear.hear([str(said[-1])])):
            ear.hear([NEAR])
            try:
                yield
            finally:
                ear.hear([FAR])

    async def _is_deaf(self) -> bool:
        """Whether notifications are taken and not delivered, as poolers do."""
        # Behind a pooler a session hears itself, so the question comes from another one.
        heard = asyncio.Event()
        private = f"{self._channel}_{self._chance.token()[:8]}"
        async with self._hearing(private, lambda *_: heard.set()) as connection:
            other = Line(self._connect)
            try:
                await other.say(f'notify "{private}"')
            finally:
                await other.close()
            with suppress(TimeoutError):
                async with asyncio.timeout(HEARD_WITHIN):
                    await heard.wait()
        return not heard.is_set() and not connection.is_closed()

    @asynccontextmanager
    async def _hearing(self, channel: str, hear: Callable[..., None]) -> AsyncIterator[Connection]:
        async with self._line.held() as connection:
            await connection.add_listener(channel, hear)
        try:
            yield connection
        finally:
            if not connection.is_closed():
                async with self._line.held():
                    await connection.remove_listener(channel, hear)

    async def _keep_alive(self, connection: Connection, ended: asyncio.Event) -> None:
        while not connection.is_closed():
            try:
                async with asyncio.timeout(PROBE_EVERY):
                    await ended.wait()
            except TimeoutError:
                await self._line.say("select 1")

    def _lost(self, error: Exception) -> None:
        self._observer.on(BellLost(str(error) or type(error).__name__))
