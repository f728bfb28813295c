"""One connection to PostgreSQL, opened when it is needed and again after it was lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias

import asyncpg

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"
Connect: TypeAlias = Callable[[], Awaitable[Connection]]

ANSWER_WITHIN = 5.0
LOST = (
    OSError,
    TimeoutError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # a session that ended between two steps of the driver
)


class Line:
    """A connection for one user at a time, who is done within five seconds or loses it."""

    def __init__(self, connect: Connect) -> None:
        """Take a way to a connection."""
        self._connect = connect
        self._connection: Connection | None = None
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def held(self) -> AsyncIterator[Connection]:
        """The connection, new if the last one is gone; one that fails its user is dropped."""
        try:
            async with asyncio.timeout(ANSWER_WITHIN), self._turn:
                if self._connection is None or self._connection.is_closed():
                    self._connection = await self._opened()
                yield self._connection
        except LOST:
            self.hang_up()
            raise

    async def say(self, statement: str) -> None:
        """Run a statement whose answer does not matter."""
        async with self.held() as connection:
            await connection.execute(statement)

    async def close(self) -> None:
        """Say farewell, if anyone still answers."""
        if self._connection is None or self._connection.is_closed():
            return
        try:
            await self._connection.close(timeout=1.0)
        except LOST:
            self.hang_up()

    def hang_up(self) -> None:
        """Drop the connection without a farewell, which a dead peer would not answer."""
        if self._connection is not None:
            self._connection.terminate()

    async def _opened(self) -> Connection:
        """A new connection; not cut short though its user gives up: the driver would complain."""
        opening = asyncio.ensure_future(self._connect())
        try:
            return await asyncio.shield(opening)
        except asyncio.CancelledError:
            await asyncio.wait([opening])
            if not opening.cancelled() and not opening.exception():
                opening.result().terminate()
            raise
