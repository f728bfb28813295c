"""The HTTP server: uvicorn's protocol on sockets of ours, and an end that drops no request."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Sequence
from email.utils import formatdate
from typing import NoReturn, cast

import uvicorn
from uvicorn.server import ServerState

from windlass.clock import Clock
from windlass.http.connection import Connection
from windlass.http.drain import Drain
from windlass.http.middleware.layer import Asgi

# Longer than clients and balancers keep idle connections: they shall hang up first, not we on a
# request that is already on its way.
KEEP_ALIVE = 75
BACKLOG = 2048
EVERY = 1.0
# While we stop, connections stay open for so long that a request on its way meets an answer.
GRACE = 0.5
LAST_WORDS = 1.0
LOOK = 0.01
# Turns of the event loop in which nobody comes.
QUIET = 3


class Server:
    """Answers what comes in on its sockets."""

    def __init__(self, app: Asgi, drain: Drain, clock: Clock) -> None:
        """Listen nowhere yet."""
        self._config = uvicorn.Config(
            app,
            http=Connection,
            ws="none",
            interface="asgi3",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            timeout_keep_alive=KEEP_ALIVE,
        )
        self._config.load()
        self._drain = drain
        self._clock = clock
        self._state = ServerState()
        self._listeners: list[asyncio.Server] = []
        self._came = 0
        self._look()

    async def listen(self, sockets: Sequence[socket.socket]) -> None:
        """Take connections from now on."""
        loop = asyncio.get_running_loop()
        for each in sockets:
            self._listeners.append(
                await loop.create_server(self._connection, sock=each, backlog=BACKLOG)
            )

    async def run(self) -> NoReturn:
        """Look after the connections."""
        while True:
            await asyncio.sleep(EVERY)
            self._look()

    async def stop(self, seconds: float, hurry: asyncio.Event) -> int:
        """Finish what was taken, for as long as this or until somebody hurries; take no more.

        Answers with how many requests were cut off.
        """
        self._drain.begin()
        await self._let_in()
        if self._connections:
            await _within(GRACE, hurry, lambda: not self._connections)
            await self._let_in()
        for listener in self._listeners:
            listener.close()
        # Whoever came in last has as long to say what it wants as those before it.
        await _within(GRACE, hurry, lambda: not self._connections)
        for connection in self._connections:
            connection.shutdown()
        await _within(seconds, hurry, lambda: not self._state.tasks)
        cut = len(self._state.tasks)
        for task in list(self._state.tasks):
            task.cancel()
        await _within(LAST_WORDS, asyncio.Event(), lambda: not self._connections)
        for connection in self._connections:
            connection.abort()
        return cut

    def _connection(self) -> Connection:
        self._came += 1
        return Connection(self._config, self._state, {})

    async def _let_in(self) -> None:
        """Take every connection that waits at the door: to close it would turn them away unheard.

        The event loop takes one in each turn.
        """
        quiet = 0
        for _ in range(BACKLOG):
            came = self._came
            await asyncio.sleep(0)
            quiet = quiet + 1 if self._came == came else 0
            if quiet == QUIET:
                return

    @property
    def _connections(self) -> list[Connection]:
        return cast("list[Connection]", list(self._state.connections))

    def _look(self) -> None:
        date = formatdate(self._clock.now_us() / 1e6, usegmt=True).encode()
        self._state.default_headers = [(b"date", date)]
        for connection in self._connections:
            connection.look()


async def _within(seconds: float, hurry: asyncio.Event, done: Callable[[], bool]) -> None:
    """Wait until it is done, the time is up, or somebody hurries."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    # uvicorn keeps connections and tasks in sets that tell nobody when they are empty.
    while not done() and not hurry.is_set() and loop.time() < end:  # noqa: ASYNC110
        await asyncio.sleep(LOOK)
