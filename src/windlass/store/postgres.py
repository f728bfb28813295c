"""The database of a fleet: PostgreSQL through asyncpg."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar, cast

import asyncpg

from windlass.core.errors import RolledBack
from windlass.store.postgres_errors import AWAY, FOLLOWS, UNDONE, in_our_words, said
from windlass.store.postgres_pool import CONNECT_TIMEOUT, UNDO_WITHIN, PostgresPool
from windlass.store.queries import shipped
from windlass.store.script import Rows, Script, Statement

if TYPE_CHECKING:
    from asyncpg.transaction import Transaction

    from windlass.store.postgres_pool import Connection

A = TypeVar("A")
T = TypeVar("T")

ROUNDS = 5


class PostgresDatabase:
    """Runs statements and scripts on connections of a pool."""

    def __init__(
        self,
        url: str,
        *,
        schema: str = "public",
        connections: int = 4,
        pgbouncer: bool = False,
        unsafe: bool = False,
        for_handlers: bool = False,
    ) -> None:
        """Connect when first asked.

        `pgbouncer` forgoes prepared statements, `unsafe` allows a server that does not sync, and
        connections `for_handlers` are reset after use, since a handler may have changed settings.
        """
        self.url = url
        self.pgbouncer = pgbouncer
        self.queries = shipped("postgres", schema)
        self._pool = PostgresPool(
            url,
            connections=connections,
            pgbouncer=pgbouncer,
            unsafe=unsafe,
            for_handlers=for_handlers,
        )

    # What only passes on is no coroutine of its own: a job that waits would pay for each of them.

    def read(self, statement: Statement) -> Coroutine[Any, Any, Rows]:
        """Answer a question that changes nothing."""
        return self._rounds(self.execute, statement)

    def survey(self, statement: Statement) -> Coroutine[Any, Any, Rows]:
        """Answer a question for which a whole table must be looked at: see `NEVER_WHOLE`."""
        return self._rounds(self._survey, statement)

    def write(self, statement: Statement) -> Coroutine[Any, Any, Rows]:
        """Run one statement as a transaction of its own."""
        return self._rounds(self.execute, statement)

    async def run(self, script: Script[T]) -> T:
        """Run a script as one transaction; answer after its commit."""
        try:
            return await self._once(self._transact, script)
        except UNDONE as problem:
            raise RolledBack(f"PostgreSQL rolled this back: {said(problem)}") from problem

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """Borrow a connection, for work that a statement or a script cannot express."""
        # In line behind other borrowers for as long as it takes: that is no outage.
        loan = await self._pool.borrow(within=None)
        try:
            with _not_to_a_standby(loan.connection):
                yield loan.connection
        finally:
            await self._pool.release(loan)

    async def close(self) -> None:
        """Let go of every connection, waiting a moment for those at work."""
        await self._pool.close()

    def execute(self, connection: Connection, statement: Statement) -> Awaitable[Rows]:
        """Run a statement on a connection that was borrowed."""
        query = self.queries[statement.name]
        args = statement.args
        if statement.columns:
            arrays = map(_array, zip(*statement.rows, strict=True))
            args = {**args, **dict(zip(statement.columns, arrays, strict=True))}
        return connection.fetch(query.numbered, *query.positional(args))

    async def _survey(self, connection: Connection, statement: Statement) -> Rows:
        async with transaction(connection):
            await connection.execute("set local enable_seqscan = on")
            return await self.execute(connection, statement)

    async def _transact(self, connection: Connection, script: Script[T]) -> T:
        async with transaction(connection):
            return await self._drive(connection, script)

    async def _rounds(self, act: Callable[[Connection, A], Awaitable[T]], what: A) -> T:
        """Send again what the server rolled back to break a deadlock."""
        for _ in range(ROUNDS):
            try:
                return await self._once(act, what)
            except UNDONE:
                continue
        raise RolledBack("the database kept rolling this back in favour of others; try again")

    async def _once(self, act: Callable[[Connection, A], Awaitable[T]], what: A) -> T:
        # No context managers: each statement, a claim for a job that waits among them, passes here.
        loan = await self._pool.borrow()
        kept = False
        try:
            answer = await act(loan.connection, what)
            kept = self._pool.keeps(loan)
        except Exception as problem:
            if isinstance(problem, FOLLOWS):
                _hang_up(loan.connection)
            if isinstance(problem, TimeoutError):
                await self._pool.expire(loan)
            told = in_our_words(problem)
            if told is None:
                raise
            raise told from problem
        else:
            return answer
        finally:
            if not kept:
                await self._pool.release(loan)

    async def _drive(self, connection: Connection, script: Script[T]) -> T:
        rows: Rows | None = None
        while True:
            try:
                statement = next(script) if rows is None else script.send(rows)
            except StopIteration as stop:
                return cast("T", stop.value)
            rows = await self.execute(connection, statement)


@asynccontextmanager
async def transaction(connection: Connection) -> AsyncIterator[None]:
    """A transaction that is undone without a server that does not answer."""
    begun = connection.transaction()
    async with asyncio.timeout(CONNECT_TIMEOUT):  # the first to notice that a server is gone
        await begun.start()
    try:
        yield
    except BaseException:
        await _roll_back(connection, begun)
        raise
    await begun.commit()


def _array(column: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """What goes for a column: nothing if it is empty, since each place would cost both ends."""
    empty = column[0] is None and column.count(None) == len(column)
    return None if empty else column


async def _roll_back(connection: Connection, begun: Transaction) -> None:
    # The driver would first wait, for ever, until a statement has ended that was given up.
    try:
        async with asyncio.timeout(UNDO_WITHIN):
            await begun.rollback()
    except (*AWAY, asyncpg.PostgresError):
        _hang_up(connection)
    except asyncio.CancelledError:
        _hang_up(connection)  # whoever is in such a hurry leaves no transaction open
        raise


def _hang_up(connection: Connection) -> None:
    # One that was lost has gone back to its pool by itself, and why it was lost is to be told.
    with suppress(asyncpg.InterfaceError):
        connection.terminate()


@contextmanager
def _not_to_a_standby(connection: Connection) -> Iterator[None]:
    """Hang up on a server that may not write, lest the pool keep to it when another one leads."""
    try:
        yield
    except asyncpg.ReadOnlySQLTransactionError:
        _hang_up(connection)
        raise
