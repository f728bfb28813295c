"""The database of a fleet: PostgreSQL through asyncpg."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar, cast

import asyncpg

from windlass.core.errors import (
    AlreadyKept,
    BadStore,
    Busy,
    NotMigrated,
    RolledBack,
    StoreAway,
    WindlassError,
)
from windlass.store.queries import Queries
from windlass.store.script import Rows, Script, Statement

if TYPE_CHECKING:
    from asyncpg.pool import PoolConnectionProxy
    from asyncpg.transaction import Transaction

    Connection = PoolConnectionProxy[asyncpg.Record]
    Pool = asyncpg.Pool[asyncpg.Record]

T = TypeVar("T")

# What a server says when it goes away, or comes back, under a statement: try again later.
AWAY = (
    OSError,
    asyncio.TimeoutError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    asyncpg.TooManyConnectionsError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.DiskFullError,
)
# What is said of a URL that cannot be right, or to somebody who will never be let in.
UNFIT = (
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
    asyncpg.ClientConfigurationError,
    ValueError,
)
# What is said where our tables were never made, or those of another version.
MISSING = (
    asyncpg.UndefinedTableError,
    asyncpg.UndefinedFunctionError,
    asyncpg.UndefinedColumnError,
    asyncpg.InvalidSchemaNameError,
)
# Statements that were rolled back for certain, and may be sent again at once.
UNDONE = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError)
ROUNDS = 5

# A machine that vanished shall not keep its locks for the hours that the kernel's defaults allow …
KEEPALIVE = {
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
}
# … nor a process that was frozen between two statements; handlers may think as long as they like.
FROZEN = {"idle_in_transaction_session_timeout": "15s"}
# A plan is made for all calls to come by what the tables hold at the sixth. In an idle fleet that
# is nothing, and nothing is read soonest from end to end; when 100,000 jobs have come, each claim
# would read them all until somebody counts them. Our statements find rows by an index or by place.
NEVER_WHOLE = {"enable_seqscan": "off"}
# A server that vanished answers nothing, and its connections seem to be well: our own statements
# take far less than this, those of handlers may take longer …
COMMAND_TIMEOUT = 10.0
HANDLERS_TIMEOUT = 30.0
# … and who asks it to stop what it does, or to undo it, does not wait for an answer either.
UNDO_WITHIN = 1.0
# A connection is not worn out by use; the pool's default would replace it every 50,000 statements.
MANY = 2**31
CONNECT_TIMEOUT = 5.0


class PostgresDatabase:
    """A pool of connections that run statements and scripts."""

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
        self.queries = Queries("postgres", schema)
        self._connections = connections
        self._prepared = 0 if pgbouncer else 200
        self._unsafe = unsafe
        self._for_handlers = for_handlers
        self._opening = asyncio.Lock()
        self._pool: Pool | None = None
        # To take a connection from the pool and give it back costs a tenth of a short statement, so
        # those that were just used stay at hand, unless somebody stands in line for one.
        self._at_hand: list[Connection] = []
        self._in_line = 0

    async def read(self, statement: Statement) -> Rows:
        """Answer a question that changes nothing."""
        return await self.write(statement)

    async def survey(self, statement: Statement) -> Rows:
        """Answer a question for which a whole table must be looked at: see `NEVER_WHOLE`."""

        async def once(connection: Connection) -> Rows:
            async with transaction(connection):
                await connection.execute("set local enable_seqscan = on")
                return await self.execute(connection, statement)

        return await self._rounds(once)

    async def write(self, statement: Statement) -> Rows:
        """Run one statement as a transaction of its own."""

        async def once(connection: Connection) -> Rows:
            return await self.execute(connection, statement)

        return await self._rounds(once)

    async def run(self, script: Script[T]) -> T:
        """Run a script as one transaction; answer after its commit."""

        async def once(connection: Connection) -> T:
            async with transaction(connection):
                return await self._drive(connection, script)

        try:
            return await self._once(once)
        except UNDONE as problem:
            raise RolledBack(f"PostgreSQL rolled this back: {_said(problem)}") from problem

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """Borrow a connection, for work that a statement or a script cannot express."""
        # In line behind other borrowers for as long as it takes: that is no outage.
        pool, connection = await self._acquire(within=None)
        try:
            with _not_to_a_standby(connection):
                yield connection
        finally:
            await _release(pool, connection)

    async def close(self) -> None:
        """Let go of every connection, waiting a moment for those at work."""
        pool, self._pool = self._pool, None
        if pool is None:
            return
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT):
                await self._put_back(pool)
                await pool.close()
        except TimeoutError:
            pool.terminate()

    async def _rounds(self, once: Callable[[Connection], Awaitable[T]]) -> T:
        """Send again what the server rolled back to break a deadlock."""
        for _ in range(ROUNDS):
            try:
                return await self._once(once)
            except UNDONE:
                continue
        raise RolledBack("the database kept rolling this back in favour of others; try again")

    async def _once(self, once: Callable[[Connection], Awaitable[T]]) -> T:
        pool, connection = await self._acquire()
        kept = False
        try:
            with _in_our_words(), _not_to_a_standby(connection):
                answer = await once(connection)
            kept = self._keeps(pool, connection)
        except StoreAway as away:
            if isinstance(away.__cause__, TimeoutError):
                await self._expire(pool)
            raise
        else:
            return answer
        finally:
            if not kept:
                await _release(pool, connection)

    async def _acquire(self, within: float | None = CONNECT_TIMEOUT) -> tuple[Pool, Connection]:
        try:
            pool = await self._open()
            while self._at_hand:
                connection = self._at_hand.pop()
                if _is_open(connection):
                    return pool, connection
                await _release(pool, connection)
            return pool, await self._take(pool, within)
        except WindlassError:
            raise
        except AWAY as problem:
            raise StoreAway(f"cannot reach PostgreSQL: {_said(problem)}") from problem
        except UNFIT as problem:
            # It was fit when the pool was opened: a password is changed, or a backup restored.
            raise StoreAway(f"PostgreSQL lets us in no more: {_said(problem)}") from problem

    async def _take(self, pool: Pool, within: float | None) -> Connection:
        self._in_line += 1
        try:
            return await pool.acquire(timeout=within)
        finally:
            self._in_line -= 1

    def _keeps(self, pool: Pool, connection: Connection) -> bool:
        """Whether the connection stays at hand; what handlers did to theirs, the pool undoes."""
        if self._for_handlers or self._in_line or pool is not self._pool:
            return False
        self._at_hand.append(connection)
        return True

    async def _expire(self, pool: Pool) -> None:
        """Trust none that is idle: it has probably died with the one that did not answer."""
        await pool.expire_connections()
        for connection in self._at_hand:
            if _is_open(connection):
                connection.terminate()
        await self._put_back(pool)

    async def _put_back(self, pool: Pool) -> None:
        while self._at_hand:
            await _release(pool, self._at_hand.pop())

    async def _drive(self, connection: Connection, script: Script[T]) -> T:
        rows: Rows | None = None
        while True:
            try:
                statement = next(script) if rows is None else script.send(rows)
            except StopIteration as stop:
                return cast("T", stop.value)
            rows = await self.execute(connection, statement)

    async def execute(self, connection: Connection, statement: Statement) -> Rows:
        """Run a statement on a connection that was borrowed."""
        query = self.queries[statement.name]
        args = statement.args
        if statement.columns:
            arrays = zip(*statement.rows, strict=True)
            args = {**args, **dict(zip(statement.columns, arrays, strict=True))}
        return await connection.fetch(query.numbered, *query.positional(args))

    async def _open(self) -> Pool:
        if self._pool is not None:
            return self._pool
        async with self._opening:
            if self._pool is None:
                self._pool = await self._connect()
            return self._pool

    async def _connect(self) -> Pool:
        pool = self._make_pool()
        try:
            with _fit_to_use():
                await pool
                async with pool.acquire() as connection:
                    await _check(connection, unsafe=self._unsafe)
        except BaseException:
            pool.terminate()
            raise
        return pool

    def _make_pool(self) -> Pool:
        return asyncpg.create_pool(
            self.url,
            min_size=0,  # with a floor, the pool itself would reconnect and log in an outage
            max_size=self._connections,
            timeout=CONNECT_TIMEOUT,
            command_timeout=HANDLERS_TIMEOUT if self._for_handlers else COMMAND_TIMEOUT,
            statement_cache_size=self._prepared,
            max_inactive_connection_lifetime=0,
            max_queries=MANY,
            reset=None if self._for_handlers else _leave_as_it_is,
            server_settings=self._session(),
        )

    def _session(self) -> dict[str, str]:
        """What a session of ours asks for; a pooler hands it to others, and may not take it."""
        if self.pgbouncer:
            return {}
        ours = {} if self._for_handlers else FROZEN | NEVER_WHOLE
        return {"application_name": "windlass", **KEEPALIVE, **ours}


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


async def _roll_back(connection: Connection, begun: Transaction) -> None:
    # The driver would first wait, for ever, until a statement has ended that was given up.
    try:
        async with asyncio.timeout(UNDO_WITHIN):
            await begun.rollback()
    except (*AWAY, asyncpg.PostgresError):
        connection.terminate()
    except asyncio.CancelledError:
        connection.terminate()  # whoever is in such a hurry leaves no transaction open
        raise


@contextmanager
def _not_to_a_standby(connection: Connection) -> Iterator[None]:
    """Hang up on a server that may not write, lest the pool keep to it when another one leads."""
    try:
        yield
    except asyncpg.ReadOnlySQLTransactionError:
        connection.terminate()
        raise


def _is_open(connection: Connection) -> bool:
    """Whether it can be used; one that was closed may have gone back to its pool by itself."""
    try:
        return not connection.is_closed()
    except asyncpg.InterfaceError:
        return False


async def _release(pool: Pool, connection: Connection) -> None:
    """Give a connection back; one that is lost while it is reset has answered before."""
    with suppress(*AWAY):
        await pool.release(connection, timeout=UNDO_WITHIN)


@contextmanager
def _fit_to_use() -> Iterator[None]:
    """Tell a URL or a server that will never do from one that is away for now."""
    try:
        yield
    except WindlassError:
        raise
    except UNFIT as problem:
        raise BadStore(f"PostgreSQL cannot be used: {_said(problem)}") from problem


async def _check(connection: Connection, *, unsafe: bool) -> None:
    """Refuse a server that would lose or not take what it is given."""
    [(fsync, recovering)] = await connection.fetch(
        "select current_setting('fsync'), pg_is_in_recovery()"
    )
    if recovering:
        raise StoreAway("this PostgreSQL is a standby in recovery; connect to the primary")
    if fsync == "off" and not unsafe:
        raise BadStore(
            "this PostgreSQL runs with fsync=off and would lose accepted jobs in a power cut;"
            " turn fsync on, or set WINDLASS_UNSAFE=1 if you do not mind"
        )


async def _leave_as_it_is(_connection: asyncpg.Connection[asyncpg.Record]) -> None:
    """Our statements leave nothing behind in a session, so giving it back costs no round trip."""


@contextmanager
def _in_our_words() -> Iterator[None]:
    """Turn what the driver raises into errors that say what it means for the caller."""
    try:
        yield
    except AWAY as problem:
        away = f"lost PostgreSQL: {_said(problem)}"
        raise StoreAway(away, ambiguous=_ambiguous(problem)) from problem
    except (asyncpg.LockNotAvailableError, asyncpg.QueryCanceledError) as problem:
        raise Busy(f"PostgreSQL did not get to it in time: {_said(problem)}") from problem
    except asyncpg.UniqueViolationError as problem:
        raise AlreadyKept(_said(problem)) from problem
    except MISSING as problem:
        raise NotMigrated(
            f"the tables of Windlass are missing or old ({_said(problem)});"
            " run: windlass migrate up"
        ) from problem


def _ambiguous(problem: BaseException) -> bool:
    """Whether the statement may have been committed all the same."""
    return not isinstance(
        problem,
        asyncpg.CannotConnectNowError
        | asyncpg.TooManyConnectionsError
        | asyncpg.ReadOnlySQLTransactionError
        | asyncpg.DiskFullError,
    )


def _said(problem: BaseException) -> str:
    return str(problem) or type(problem).__name__
