"""Effects in PostgreSQL that commit with the attempt they belong to."""

from __future__ import annotations

import asyncio
import select
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

import asyncpg

from windlass.clock import Clock
from windlass.core.errors import BadInput, ClaimLost, RolledBack, StoreAway
from windlass.core.settle import Settlement
from windlass.store.postgres import PostgresDatabase, transaction
from windlass.store.postgres_errors import AWAY, UNDONE
from windlass.store.postgres_pool import CONNECT_TIMEOUT, KEEPALIVE
from windlass.store.script import Statement
from windlass.store.settling import EFFECTS_LOST, standing_of
from windlass.store.settling import finish as finish_statement

if TYPE_CHECKING:
    import psycopg

    from windlass.store.postgres_pool import Connection

UNDID = "PostgreSQL rolled the block back in favour of others"
# What a handler may raise on its own account: about a file, a peer, or a statement too slow.
ANYBODYS = (OSError, asyncio.TimeoutError, asyncpg.InterfaceError)
# A thread that waits for a server which vanished would wait for hours by the kernel's defaults.
ALIVE = {
    "keepalives_idle": 5,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "tcp_user_timeout": 15_000,  # milliseconds
}


class PostgresEffects:
    """Settles by the last statement of a block: no row stays locked while the handler thinks."""

    def __init__(self, database: PostgresDatabase, clock: Clock) -> None:
        """Use the connections of `database`, a pool of its own for handlers."""
        self._database = database
        self._clock = clock
        self._idle: list[psycopg.Connection[Any]] = []

    @asynccontextmanager
    async def block(self, finish: Callable[[], Settlement]) -> AsyncIterator[Connection]:
        """A block for coroutines, on an asyncpg connection."""
        settlement: Settlement | None = None
        begun, ours = False, True
        try:
            async with self._database.connection() as connection:
                try:
                    async with transaction(connection):
                        begun = True
                        yield connection
                        settlement = finish()
                        ending = self._ending(settlement)
                        [answer] = await self._database.execute(connection, ending)
                        if answer[0] != 1:
                            raise ClaimLost(EFFECTS_LOST)
                except ANYBODYS:
                    ours = not begun or settlement is not None or connection.is_closed()
                    raise
        except UNDONE as problem:
            raise RolledBack(f"{UNDID}: {problem}") from problem
        except AWAY as problem:
            if not ours:
                raise
            if settlement is None or not await self._committed(settlement):
                raise StoreAway(f"lost PostgreSQL inside the block: {problem}") from problem

    async def _committed(self, settlement: Settlement) -> bool:
        """Whether the block was committed although its answer got lost."""
        found = await self._database.read(Statement("settle_check", {"ids": [settlement.id]}))
        return standing_of(settlement, found[0] if found else None) is None

    @contextmanager
    def blocking(self, finish: Callable[[], Settlement]) -> Iterator[psycopg.Connection[Any]]:
        """A block for plain functions, on a psycopg connection."""
        driver = _psycopg()
        try:
            connection = self._borrow(driver)
        except driver.OperationalError as problem:
            raise StoreAway(f"cannot reach PostgreSQL: {problem}") from problem
        try:
            with connection.transaction():
                yield connection
                if self._settled(connection, self._ending(finish())) != 1:
                    raise ClaimLost(EFFECTS_LOST)
        except (driver.errors.DeadlockDetected, driver.errors.SerializationFailure) as problem:
            raise RolledBack(f"{UNDID}: {problem}") from problem
        except driver.errors.ReadOnlySqlTransaction as problem:
            connection.close()  # a standby; another one leads
            raise StoreAway(f"PostgreSQL may not write: {problem}") from problem
        except driver.OperationalError as problem:
            if not connection.broken:
                raise
            # Perhaps it was committed all the same; whoever settles the attempt will find out.
            raise StoreAway(f"lost PostgreSQL inside the block: {problem}") from problem
        finally:
            self._give_back(connection)

    def _ending(self, settlement: Settlement) -> Statement:
        return finish_statement(settlement.worker, [settlement], self._clock.monotonic())

    def _settled(self, connection: psycopg.Connection[Any], statement: Statement) -> int:
        query = self._database.queries[statement.name]
        arrays = [list(column) for column in zip(*statement.rows, strict=True)]
        args = {**statement.args, **dict(zip(statement.columns, arrays, strict=True))}
        [answer] = connection.execute(query.formatted.encode(), args).fetchall()
        return int(answer[0])

    def _borrow(self, driver: ModuleType) -> psycopg.Connection[Any]:
        while idle := self._take_idle():
            if not _hung_up(idle):
                return idle
            idle.close()
        connection: psycopg.Connection[Any] = driver.connect(
            self._database.url, autocommit=True, connect_timeout=round(CONNECT_TIMEOUT), **ALIVE
        )
        if self._database.pgbouncer:
            connection.prepare_threshold = None
        else:
            for name, value in KEEPALIVE.items():
                connection.execute(f"set {name} = {value}".encode())
        return connection

    def _take_idle(self) -> psycopg.Connection[Any] | None:
        try:
            return self._idle.pop()  # one step: many threads come here
        except IndexError:
            return None

    def _give_back(self, connection: psycopg.Connection[Any]) -> None:
        if connection.closed or connection.broken:
            return
        self._idle.append(connection)

    async def close(self) -> None:
        """Let go of the connections."""
        while self._idle:
            self._idle.pop().close()
        await self._database.close()


def _psycopg() -> ModuleType:
    try:
        import psycopg  # noqa: PLC0415 — an extra, needed here alone
    except ImportError as missing:
        raise BadInput(
            "ctx.transaction() in a plain handler needs psycopg:"
            " pip install 'windlass[psycopg]', or make the handler async"
        ) from missing
    return psycopg


def _hung_up(connection: psycopg.Connection[Any]) -> bool:
    """Whether the server closed an idle connection: it has nothing else to say on one."""
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))
