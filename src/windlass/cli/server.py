"""A connection of our own to a PostgreSQL server, for what the store has no verb for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import asyncpg

from windlass.core.errors import StoreAway

if TYPE_CHECKING:
    from typing import TypeAlias

    Connection: TypeAlias = asyncpg.Connection[asyncpg.Record]

TIMEOUT = 5.0
AWAY = (OSError, TimeoutError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError)


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[Connection]:
    """A connection while the block runs; raises `StoreAway` if there is none to be had."""
    try:
        # Without prepared statements, so that it works through PgBouncer too.
        connection = await asyncpg.connect(
            url, timeout=TIMEOUT, command_timeout=TIMEOUT, statement_cache_size=0
        )
    except AWAY as away:
        raise StoreAway(f"cannot reach PostgreSQL: {_said(away)}") from away
    try:
        yield connection
    except AWAY as lost:
        raise StoreAway(f"lost PostgreSQL: {_said(lost)}") from lost
    finally:
        await _close(connection)


async def _close(connection: Connection) -> None:
    try:
        await connection.close(timeout=TIMEOUT)
    except AWAY:
        connection.terminate()


def _said(problem: BaseException) -> str:
    if isinstance(problem, TimeoutError):
        return f"no answer within {TIMEOUT:g} s"
    return str(problem) or type(problem).__name__
