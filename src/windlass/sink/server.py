"""The mail server's socket: on this machine unless told, for a few callers, who may not dawdle."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

from windlass.clock import Clock
from windlass.core.errors import BadInput
from windlass.sink.dialogue import GREETING, Dialogue
from windlass.sink.tray import Tray

LOOPBACK = "127.0.0.1"
MOST_CALLERS = 100
# Seconds of silence. Our own mailer keeps a line for less.
PATIENCE = 60.0


class MailSink:
    """Takes every message for everybody, and puts it on its tray."""

    def __init__(self, clock: Clock, place: str = ":0") -> None:
        """Have a socket at `place`, as host:port or :port; nobody is answered yet."""
        self.tray = Tray(clock)
        self._calls: set[Call] = set()
        named, _, port = place.rpartition(":")
        host = named or LOOPBACK
        try:
            self._socket = socket.create_server((host, int(port)))
        except (OSError, OverflowError, ValueError) as problem:
            raise BadInput(
                f"mail cannot be taken at {place!r}: {problem}; write HOST:PORT, as 127.0.0.1:1025"
            ) from problem
        # Where mail is handed in.
        self.url = f"smtp://{host}:{self._socket.getsockname()[1]}"

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Answer while the block runs."""
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Call(self.tray, self._calls), sock=self._socket)
        try:
            yield
        finally:
            server.close()
            for call in [*self._calls]:
                call.end()


class Call(asyncio.Protocol):
    """One connection."""

    def __init__(self, tray: Tray, calls: set[Call]) -> None:
        """Be counted among these, once somebody is there."""
        self._dialogue = Dialogue(tray.put)
        self._calls = calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Say hello, unless there are too many."""
        self._transport = cast("asyncio.Transport", transport)
        self._calls.add(self)
        self._wait()
        if len(self._calls) > MOST_CALLERS:
            self.end()
        else:
            self._transport.write(GREETING)

    def data_received(self, data: bytes) -> None:
        """Answer."""
        self._silence.cancel()
        self._wait()
        self._transport.write(self._dialogue.hear(data))
        if self._dialogue.over:
            self._transport.close()

    def pause_writing(self) -> None:
        """Listen no more to one who does not listen."""
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        """Listen again."""
        if not self._transport.is_closing():
            self._transport.resume_reading()

    def connection_lost(self, _: Exception | None) -> None:
        """Forget the caller."""
        self._silence.cancel()
        self._calls.discard(self)

    def end(self) -> None:
        """Hang up; one who does not listen would keep a line that is closed politely."""
        if self._transport.get_write_buffer_size():
            self._transport.abort()
            return
        self._transport.write(b"421 no more mail here for now\r\n")
        self._transport.close()

    def _wait(self) -> None:
        self._silence = asyncio.get_running_loop().call_later(PATIENCE, self.end)
