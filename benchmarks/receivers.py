"""Hosts that webhooks call: some answer, one never does, one refuses. `python -m …receivers`.

A process of their own, so that they cost the worker under measure nothing but CPU time.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple, cast

import uvloop

from benchmarks.program import ROOT
from windlass.worker.birth import die_with_parent

HEALTHY = 4
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"


class Receivers(NamedTuple):
    """Where they are."""

    healthy: list[str]
    silent: str  # takes every connection, and says nothing
    refusing: str  # takes none


@asynccontextmanager
async def receiving() -> AsyncIterator[Receivers]:
    """Hosts that are there while the block runs."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "benchmarks.receivers"),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        preexec_fn=die_with_parent,
    )
    assert process.stdout is not None
    try:
        *healthy, silent, refusing = (await process.stdout.readline()).decode().split()
        yield Receivers(healthy, silent, refusing)
    finally:
        process.kill()
        await process.wait()


class Taking(asyncio.Protocol):
    """Answers every request on a connection."""

    def __init__(self) -> None:
        """Begin with nothing read."""
        self._read = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Know whom to answer."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Answer once a request is whole."""
        self._read += data
        while (end := self._read.find(b"\r\n\r\n")) >= 0:
            head = bytes(self._read[:end]).lower()
            _, _, length = head.partition(b"content-length:")
            whole = end + 4 + int(length.split(b"\r\n")[0] or 0)
            if len(self._read) < whole:
                return
            del self._read[:whole]
            self._transport.write(ANSWER)


async def main() -> None:
    """Listen, and say where."""
    loop = asyncio.get_running_loop()
    kinds = [*[Taking] * HEALTHY, asyncio.Protocol]
    servers = [await loop.create_server(kind, "127.0.0.1", 0) for kind in kinds]
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # so that nobody else listens there
        ports = [place.getsockname()[1] for place in (*(s.sockets[0] for s in servers), closed)]
        print(*(f"http://127.0.0.1:{port}/hook" for port in ports), flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(main())
