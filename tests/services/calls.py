"""Calls that a server of the tests takes: neither they nor their lines outlive it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from ssl import SSLContext
from typing import Any

Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]


class Calls:
    """The calls of one server, each answered by a task of its own."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._answering: set[asyncio.Task[None]] = set()
        self._lines: list[asyncio.StreamWriter] = []

    @asynccontextmanager
    async def taken(self, tls: SSLContext | None = None) -> AsyncIterator[int]:
        """Take calls while the block runs, at a free port, which is given."""
        server = await asyncio.start_server(self._take, "127.0.0.1", 0, ssl=tls)
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
            await self._end()

    async def reach(
        self, host: str | None, port: int | None
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Call somebody else, on behalf of a caller."""
        reader, writer = await asyncio.open_connection(host, port)
        self._lines.append(writer)
        return reader, writer

    def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # No coroutine: one that is cancelled before it begins would leave its line open.
        self._lines.append(writer)
        task = asyncio.create_task(self._answered(reader, writer))
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    async def _answered(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer a call; either end may hang up at any time."""
        with suppress(OSError, EOFError):
            await self._answer(reader, writer)
        writer.close()

    async def _end(self) -> None:
        """Cancel all calls, also those that were taken a moment ago, and close every line."""
        await asyncio.sleep(0.02)
        for task in self._answering:
            task.cancel()
        if self._answering:
            await asyncio.wait(self._answering)
        for line in self._lines:
            hang_up(line.transport)
        await asyncio.sleep(0)  # in which they close


def hang_up(line: asyncio.WriteTransport) -> None:
    """Close a line, whatever is still to be sent on it."""
    # Over TLS one that has been closed twice knows no more how, before Python 3.11.4.
    with suppress(AttributeError):
        line.abort()
