"""Requests as log lines: formatted at once, written many at a time.

An API answers thousands in a second. A line by way of the others' processors would cost it more
than the answer does.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import UTC, datetime
from typing import TextIO

import msgspec

from windlass.clock import Clock
from windlass.observe.events import RequestServed

# Late enough to be worth it, soon enough for whoever watches.
WRITE_AFTER = 0.1
SECOND_US = 1_000_000


class RequestLine(msgspec.Struct):
    """A line, in the order in which it is read."""

    time: str
    level: str
    msg: str
    method: str
    path: str
    status: int
    took: float
    sent: int
    principal: str | None
    client: str | None
    request_id: str


class RequestLines:
    """The lines that are not written yet."""

    def __init__(self, stream: TextIO, clock: Clock) -> None:
        """Write JSON to this stream."""
        self._stream = stream
        self._clock = clock
        self._encode = msgspec.json.Encoder().encode
        self._lines: list[bytes] = []
        self._second = 0
        self._second_told = ""

    def add(self, event: RequestServed, message: str) -> None:
        """Tell of a request soon; at once where nothing comes later."""
        self._lines.append(
            self._encode(
                RequestLine(
                    self._now(),
                    "INFO",
                    message,
                    event.method,
                    event.path,
                    event.status,
                    round(event.took, 6),
                    event.sent,
                    event.principal,
                    event.client,
                    event.request_id,
                )
            )
        )
        if len(self._lines) == 1:
            self._write_soon()

    def write(self) -> None:
        """Write what there is."""
        lines, self._lines = self._lines, []
        if not lines:
            return
        # As with the other lines: nobody who reads them is no reason to stop.
        with suppress(OSError, ValueError):
            self._stream.write(b"\n".join((*lines, b"")).decode())
            self._stream.flush()

    def _write_soon(self) -> None:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self.write()
        else:
            loop.call_later(WRITE_AFTER, self.write)

    def _now(self) -> str:
        """The time as other lines have it; what changes once in a second is told once in it."""
        second, rest = divmod(self._clock.now_us(), SECOND_US)
        if second != self._second:
            self._second = second
            self._second_told = datetime.fromtimestamp(second, UTC).isoformat()[:19]
        return f"{self._second_told}.{rest // 1000:03d}Z"
