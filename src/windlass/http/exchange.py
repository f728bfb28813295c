"""One request on a connection, and its answer on the way out.

uvicorn writes head and body apart, and examines every header with two patterns. Our headers are
our own; that none of them breaks its line is seen at one look.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, RequestResponseCycle

from windlass.http.answer import Header

BODILESS = frozenset({204, 304})
# Up to here it costs less to put head and body together than to write twice.
SMALL = 1 << 16


class Exchange(RequestResponseCycle):
    """uvicorn's, with a shorter way out."""

    _head = b""

    async def send(self, message: Any) -> None:
        """Send an answer's head, or a piece of its body."""
        if self.flow.write_paused and not self.disconnected:
            await self.flow.drain()
        if self.disconnected:
            return
        if not self.response_started:
            self._begin(message["status"], message["headers"])
        elif not self.response_complete:
            self._go_on(message["body"], more=message.get("more_body", False))
        else:
            raise RuntimeError("the answer has ended")

    def _begin(self, status: int, headers: Iterable[Header]) -> None:
        """Make the head. It waits for its body, unless that comes in pieces, who knows when."""
        lines = [STATUS_LINE[status]]
        for name, value in chain(self.default_headers, headers):
            lines.append(b"%b: %b\r\n" % (name, value))
            if name == b"content-length":
                self.chunked_encoding = False
                self.expected_content_length = int(value)
            elif name == b"connection":
                self.keep_alive = False
                lines.pop()  # it is said below
        if not self.keep_alive:
            lines.append(b"connection: close\r\n")
        if self.chunked_encoding is None and status not in BODILESS and not self._bodiless:
            self.chunked_encoding = True
            lines.append(b"transfer-encoding: chunked\r\n")
        lines.append(b"\r\n")
        self._head = b"".join(lines)
        if self._head.count(b"\n") != len(lines) or self._head.count(b"\r") != len(lines):
            raise ValueError("a header breaks its line")
        self.response_started = True
        self.waiting_for_100_continue = False
        if self.chunked_encoding:
            self._write(b"")

    def _go_on(self, body: bytes, *, more: bool) -> None:
        if self._bodiless:
            self._write(b"")
            self.expected_content_length = 0
        elif self.chunked_encoding:
            self._write(_chunk(body) if more else _chunk(body) + b"0\r\n\r\n")
        else:
            self._write(body)
            self.expected_content_length -= len(body)
        if not more:
            self._end()

    def _end(self) -> None:
        if self.expected_content_length != 0:
            raise RuntimeError("the answer is not as long as its head said")
        self.response_complete = True
        self.message_event.set()
        if not self.keep_alive:
            self.transport.close()
        self.on_response()

    def _write(self, data: bytes) -> None:
        head, self._head = self._head, b""
        if len(data) <= SMALL:
            self.transport.write(head + data)
        else:
            self.transport.writelines((head, data))

    @property
    def _bodiless(self) -> bool:
        return self.scope["method"] == "HEAD"


def _chunk(body: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(body), body) if body else b""
