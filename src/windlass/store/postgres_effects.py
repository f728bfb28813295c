"""Effects in PostgreSQL that commit with the attempt they belong to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

from windlass.clock import Clock
from windlass.core.errors import BadInput, ClaimLost, StoreAway
from windlass.core.settle import Settlement
from windlass.store.postgres import AWAY, PostgresDatabase
from windlass.store.script import Statement
from windlass.store.settling import finish as finish_statement
from windlass.store.settling import standing_of

if TYPE_CHECKING:
    import psycopg

    from windlass.store.postgres import Connection

LOST = "the attempt's claim is no longer good, so its effects were rolled back"


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
        try:
            async with self._database.connection() as connection, connection.transaction():
                yield connection
                settlement = finish()
                [answer] = await self._database.execute(connection, self._ending(settlement))
                if answer[0] != 1:
                    raise ClaimLost(LOST)
        except AWAY as problem:
            if settlement is None or not await self._committed(settlement):
                raise StoreAway(f"lost PostgreSQL inside the block: {problem}") from problem

    async def _committed(self, settlement: Settlement) -> bool:
        """Whether the block was committed although its answer got lost."""
        found = await self._database.read(Statement("settle_check", {"ids": [settlement.id]}))
        return standing_of(settlement, found[0] if found else None) is None

    @contextmanager
    def blocking(self, finish: Callable[[], Settlement]) -> Iterator[psycopg.Connection[Any]]:
        """A block for plain functions, on a psycopg connection."""
        connection = self._borrow()
        try:
            with connection.transaction():
                yield connection
                if self._settled(connection, self._ending(finish())) != 1:
                    raise ClaimLost(LOST)
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

    def _borrow(self) -> psycopg.Connection[Any]:
        if self._idle:
            return self._idle.pop()
        try:
            import psycopg  # noqa: PLC0415 — an extra, needed here alone
        except ImportError as missing:
            raise BadInput(
                "ctx.transaction() in a plain handler needs psycopg:"
                " pip install 'windlass[psycopg]', or make the handler async"
            ) from missing
        return psycopg.connect(self._database.url, autocommit=True)

    def _give_back(self, connection: psycopg.Connection[Any]) -> None:
        if connection.closed or connection.broken:
            return
        self._idle.append(connection)

    async def close(self) -> None:
        """Let go of the connections."""
        while self._idle:
            self._idle.pop().close()
        await self._database.close()
