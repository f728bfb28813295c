"""Connections to one PostgreSQL: checked at first, kept at hand, given up together."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import asyncpg

from windlass.core.errors import BadStore, StoreAway
from windlass.store.postgres_errors import AWAY, fit_to_use, within_reach

if TYPE_CHECKING:
    from asyncpg.pool import PoolConnectionProxy

    Connection = PoolConnectionProxy[asyncpg.Record]
    Pool = asyncpg.Pool[asyncpg.Record]

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
# To compile a statement as short as ours takes longer than to run it; and asyncpg turns it off, and
# on again if it was, whenever it asks what a type is.
NEVER_COMPILED = {"jit": "off"}
# A server that vanished answers nothing, and its connections seem to be well: our own statements
# take far less than this, those of handlers may take longer …
COMMAND_TIMEOUT = 10.0
HANDLERS_TIMEOUT = 30.0
# … and who asks it to stop what it does, or to undo it, does not wait for an answer either.
UNDO_WITHIN = 1.0
# A connection is not worn out by use; the pool's default would replace it every 50,000 statements.
MANY = 2**31
CONNECT_TIMEOUT = 5.0


class Loan(NamedTuple):
    """A connection, and the pool to which it goes back."""

    pool: Pool
    connection: Connection


class PostgresPool:
    """Lends connections, one borrower each."""

    def __init__(
        self, url: str, *, connections: int, pgbouncer: bool, unsafe: bool, for_handlers: bool
    ) -> None:
        """Connect when first asked; see `PostgresDatabase` for what is said here."""
        self._url = url
        self._connections = connections
        self._pgbouncer = pgbouncer
        self._unsafe = unsafe
        self._for_handlers = for_handlers
        self._opening = asyncio.Lock()
        self._pool: Pool | None = None
        # To take a connection from the pool and give it back costs a tenth of a short statement, so
        # those that were just used stay at hand, unless somebody stands in line for one.
        self._at_hand: list[Loan] = []
        self._in_line = 0

    async def borrow(self, within: float | None = CONNECT_TIMEOUT) -> Loan:
        """A connection, for which nobody stands in line longer than `within`."""
        while self._at_hand:
            loan = self._at_hand.pop()
            if _is_open(loan.connection):
                return loan
            await self.release(loan)
        with within_reach():
            pool = await self._open()
            return Loan(pool, await self._take(pool, within))

    def keeps(self, loan: Loan) -> bool:
        """Whether the connection stays at hand; what handlers did to theirs, a release undoes."""
        if self._for_handlers or self._in_line or loan.pool is not self._pool:
            return False
        self._at_hand.append(loan)
        return True

    async def release(self, loan: Loan) -> None:
        """Give a connection back; one that is lost while it is reset has answered before."""
        with suppress(*AWAY):
            await loan.pool.release(loan.connection, timeout=UNDO_WITHIN)

    async def expire(self, loan: Loan) -> None:
        """Trust none that is idle: it has probably died with this one, which did not answer."""
        await loan.pool.expire_connections()
        for idle in self._at_hand:
            if _is_open(idle.connection):
                idle.connection.terminate()
        await self._put_back()

    async def close(self) -> None:
        """Let go of every connection, waiting a moment for those at work."""
        pool, self._pool = self._pool, None
        if pool is None:
            return
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(CONNECT_TIMEOUT):
                    await self._put_back()
                    await pool.close()
        finally:
            pool.terminate()  # what is left, also when whoever closes is told to hurry

    async def _put_back(self) -> None:
        while self._at_hand:
            await self.release(self._at_hand.pop())

    async def _take(self, pool: Pool, within: float | None) -> Connection:
        self._in_line += 1
        try:
            return await pool.acquire(timeout=within)
        finally:
            self._in_line -= 1

    async def _open(self) -> Pool:
        if self._pool is not None:
            return self._pool
        async with self._opening:
            if self._pool is None:
                self._pool = await self._connect()
            return self._pool

    async def _connect(self) -> Pool:
        pool = self._make()
        try:
            with fit_to_use():
                await pool
                async with pool.acquire() as connection:
                    await _check(connection, unsafe=self._unsafe)
        except BaseException:
            pool.terminate()
            raise
        return pool

    def _make(self) -> Pool:
        return asyncpg.create_pool(
            self._url,
            min_size=0,  # with a floor, the pool itself would reconnect and log in an outage
            max_size=self._connections,
            timeout=CONNECT_TIMEOUT,
            command_timeout=HANDLERS_TIMEOUT if self._for_handlers else COMMAND_TIMEOUT,
            statement_cache_size=0 if self._pgbouncer else 200,
            max_inactive_connection_lifetime=0,
            max_queries=MANY,
            reset=None if self._for_handlers else _leave_as_it_is,
            server_settings=self._session(),
        )

    def _session(self) -> dict[str, str]:
        """What a session of ours asks for; a pooler hands it to others, and may not take it."""
        if self._pgbouncer:
            return {}
        ours = {} if self._for_handlers else FROZEN | NEVER_WHOLE | NEVER_COMPILED
        return {"application_name": "windlass", **KEEPALIVE, **ours}


def _is_open(connection: Connection) -> bool:
    """Whether it can be used; one that was closed may have gone back to its pool by itself."""
    try:
        return not connection.is_closed()
    except asyncpg.InterfaceError:
        return False


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
