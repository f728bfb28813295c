"""One connection to Redis: calls go out as they come, and are answered in the same order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, cast

import hiredis

Part: TypeAlias = str | bytes | int | float
Reply: TypeAlias = Any
Push: TypeAlias = Callable[[Sequence[Any]], None]

# After a deadline the loop looks once more at what has arrived: it may have been busy itself. One
# that comes late tells more about our own loop than about Redis, so a few are allowed.
SECOND_LOOK = 0.005
PUNCTUAL = 0.002
MOST_LOOKS = 4
NEVER = float("inf")


class RedisAway(Exception):
    """Redis did not do it, and may or may not have: go on without."""


class RedisRefusal(RedisAway):
    """Redis answered with an error: it is there, and does not want to."""


class Wire(asyncio.Protocol):
    """Many calls at once over one connection; the first that is overdue ends it for all."""

    def __init__(self, on_push: Push, on_end: Callable[[Exception], None]) -> None:
        """Say whom to tell of what was published, and of the end."""
        self._on_push = on_push
        self._on_end = on_end
        self._reader = hiredis.Reader()
        self._calls: deque[tuple[asyncio.Future[Reply], float]] = deque()
        self._transport: asyncio.Transport | None = None
        self._loop = asyncio.get_running_loop()
        self._alarm: asyncio.Handle | None = None
        self._alarm_at = NEVER
        self._doubted: asyncio.Future[Reply] | None = None
        self._looks = 0
        self.heard_at = self._loop.time()

    @property
    def busy(self) -> bool:
        """Whether somebody waits for an answer."""
        return bool(self._calls)

    def call(self, command: Sequence[Part], within: float) -> asyncio.Future[Reply]:
        """Send a command; its answer, or `RedisAway` if none comes in time."""
        answer: asyncio.Future[Reply] = self._loop.create_future()
        due = self._loop.time() + within
        self.send(command)
        self._calls.append((answer, due))
        if due < self._alarm_at:
            self._watch(within)
        return answer

    def send(self, command: Sequence[Part]) -> None:
        """Send what is answered by a push, if at all."""
        if self._transport is None:
            raise RedisAway("the connection is closed")
        parts: Any = tuple(command)  # which hiredis declares to be of one part only
        self._transport.write(hiredis.pack_command(parts))

    def end(self, why: Exception) -> None:
        """Hang up without a farewell, which a dead peer would not answer."""
        transport, self._transport = self._transport, None
        if transport is None:
            return
        transport.abort()
        if self._alarm is not None:
            self._alarm.cancel()
        was_busy = self.busy
        while self._calls:
            answer, _ = self._calls.popleft()
            if not answer.done():
                answer.set_exception(RedisAway(str(why)))
        self._on_end(why if was_busy else Idle(str(why)))

    # --- what the event loop tells ----------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Hand the answers to those who wait for them."""
        self.heard_at = self._loop.time()
        self._reader.feed(data)
        try:
            while (reply := self._reader.gets()) is not False:
                self._heed(reply)
        except (hiredis.ProtocolError, IndexError) as error:
            self.end(ConnectionError(f"not the language of Redis: {error}"))

    def connection_lost(self, exc: Exception | None) -> None:
        """End with the connection."""
        self.end(exc or ConnectionResetError("Redis closed the connection"))

    def _heed(self, reply: Reply) -> None:
        if isinstance(reply, hiredis.PushNotification):
            self._on_push(reply)
            return
        answer, _ = self._calls.popleft()
        if not answer.done():
            answer.set_result(reply)

    # --- deadlines --------------------------------------------------------------------------------

    def _watch(self, after: float) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        # Kept here, too: one for this very moment cannot be asked for its time on every event loop.
        self._alarm_at = self._loop.time() + after
        self._alarm = self._loop.call_later(after, self._look, self._alarm_at)

    def _look(self, due: float) -> None:
        """End if the first in line is overdue, and not only because this loop was late."""
        self._alarm, self._alarm_at = None, NEVER
        if not self._calls:
            return
        now = self._loop.time()
        first, deadline = self._calls[0]
        if now < deadline:
            self._watch(deadline - now)
            return
        self._looks = self._looks + 1 if self._doubted is first else 0
        self._doubted = first
        if self._looks and (now - due < PUNCTUAL or self._looks >= MOST_LOOKS):
            self.end(TimeoutError("Redis gave no answer in time"))
        else:
            self._watch(SECOND_LOOK)


class Idle(ConnectionError):
    """The connection ended while nobody waited for anything."""
