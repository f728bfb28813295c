"""Effects in SQLite that commit with the attempt they belong to.

The block is the only writer while it lasts: it waits its turn in the writer's queue, and the
writer's thread stands still until the block ends or has used up its time.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from windlass.clock import Clock
from windlass.core.errors import ClaimLost, WindlassError
from windlass.core.settle import Settlement
from windlass.store.settling import EFFECTS_LOST
from windlass.store.settling import finish as finish_statement
from windlass.store.sqlite import SqliteDatabase
from windlass.store.sqlite_session import Session

# Well below a fifth of the lease: whoever waits to renew must not wait for a handler.
LONGEST = 2.0


class TooSlow(WindlassError):
    """The block held the only writer for too long."""

    def __init__(self, limit: float) -> None:
        """Say what to do."""
        super().__init__(
            f"ctx.transaction() took longer than {limit:g} s, and everyone else's writes waited for"
            " it; it was rolled back. Do slow work before the block"
        )


class Turn:
    """A handler's turn at the writer's connection. It can be taken away, so every use asks."""

    def __init__(self, session: Session) -> None:
        """Stand for the connection of this session."""
        self._session = session
        self._guard = threading.Lock()
        self._over: Exception | None = None

    def run(self, sql: str, args: Sequence[Any] | dict[str, Any] = ()) -> list[sqlite3.Row]:
        """Execute a statement and fetch its rows."""
        with self._guard:
            self._insist()
            cursor = self._session.connection.cursor()
            cursor.row_factory = sqlite3.Row
            return cursor.execute(sql, args).fetchall()

    def settle(self, settlement: Settlement, now: float) -> None:
        """End the attempt, as the last statement of the block."""
        with self._guard:
            self._insist()
            statement = finish_statement(settlement.worker, [settlement], now)
            [answer] = self._session.answer(statement)
            if answer[0] != 1:
                raise ClaimLost(EFFECTS_LOST)

    def end(self, because: Exception) -> None:
        """Take the connection away; a statement that runs is interrupted."""
        self._session.connection.interrupt()
        with self._guard:
            self._over = because

    def _insist(self) -> None:
        if self._over is not None:
            raise self._over


class AsyncTurn:
    """What a coroutine gets: the same turn, awaited like any other connection."""

    def __init__(self, turn: Turn) -> None:
        """Wrap a turn."""
        self._turn = turn

    async def execute(
        self, sql: str, args: Sequence[Any] | dict[str, Any] = ()
    ) -> list[sqlite3.Row]:
        """Execute a statement and fetch its rows."""
        return self._turn.run(sql, args)


class PlainTurn:
    """What a plain function gets."""

    def __init__(self, turn: Turn) -> None:
        """Wrap a turn."""
        self._turn = turn

    def execute(self, sql: str, args: Sequence[Any] | dict[str, Any] = ()) -> list[sqlite3.Row]:
        """Execute a statement and fetch its rows."""
        return self._turn.run(sql, args)


class Lending:
    """One loan of the writer's connection: from its turn in the queue to the end of the block."""

    def __init__(self, limit: float) -> None:
        """Lend for `limit` seconds at most."""
        self.begun: Future[Turn] = Future()
        self._limit = limit
        self._ended = threading.Event()
        self._problem: BaseException | None = None

    def work(self, session: Session) -> None:
        """Stand still on the writer's thread while somebody else has the connection."""
        turn = Turn(session)
        if not self.begun.set_running_or_notify_cancel():
            return  # whoever wanted it is gone
        self.begun.set_result(turn)
        if not self._ended.wait(self._limit):
            slow = TooSlow(self._limit)
            turn.end(slow)
            raise slow
        turn.end(ClaimLost("the block has ended"))
        if self._problem is not None:
            raise self._problem

    def end(self, problem: BaseException | None = None) -> None:
        """Give the connection back, to be committed, or rolled back because of a problem."""
        self._problem = problem
        self._ended.set()

    def failed_to_begin(self, performing: Future[None]) -> None:
        """Pass on why the turn never came."""
        problem = performing.exception() if not performing.cancelled() else None
        if problem is not None and not self.begun.done():
            self.begun.set_exception(problem)


class SqliteEffects:
    """Lends the writer's connection to one block at a time."""

    def __init__(self, database: SqliteDatabase, clock: Clock, *, limit: float = LONGEST) -> None:
        """Use the writer of `database`, which belongs to the running event loop."""
        self._database = database
        self._clock = clock
        self._limit = limit
        self._loop = asyncio.get_running_loop()

    @asynccontextmanager
    async def block(self, finish: Callable[[], Settlement]) -> AsyncIterator[AsyncTurn]:
        """A block for coroutines."""
        lending, performing = self._lend()
        try:
            turn = await asyncio.wrap_future(lending.begun)
        except BaseException as problem:
            lending.end(problem)  # its turn may have come all the same, and nobody will use it
            raise
        try:
            yield AsyncTurn(turn)
            turn.settle(finish(), self._clock.monotonic())
        except BaseException as problem:
            lending.end(problem)
            # Once it is rolled back; that it was, and why, is no news.
            await asyncio.gather(asyncio.wrap_future(performing), return_exceptions=True)
            raise
        lending.end()
        await asyncio.wrap_future(performing)

    @contextmanager
    def blocking(self, finish: Callable[[], Settlement]) -> Iterator[PlainTurn]:
        """The same for plain functions, on a thread of their own."""
        lending, performing = self._lend()
        turn = lending.begun.result()
        try:
            yield PlainTurn(turn)
            turn.settle(finish(), self._clock.monotonic())
        except BaseException as problem:
            lending.end(problem)
            performing.exception()
            raise
        lending.end()
        performing.result()

    async def close(self) -> None:
        """Nothing to let go of: the connection is the writer's."""

    def _lend(self) -> tuple[Lending, Future[None]]:
        lending = Lending(self._limit)
        waiting = self._database.perform(lending.work)
        performing = asyncio.run_coroutine_threadsafe(waiting, self._loop)
        performing.add_done_callback(lending.failed_to_begin)
        return lending, performing
