"""The embedded database: SQLite in WAL mode, one writer and a few readers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import TypeVar

from windlass.clock import Chance, Clock
from windlass.core.errors import StoreAway
from windlass.store.busy import Patience
from windlass.store.script import Rows, Script, Statement
from windlass.store.sqlite_commands import Work
from windlass.store.sqlite_connection import MEMORY, connect
from windlass.store.sqlite_hands import Hands, InlineHands, ThreadHands
from windlass.store.sqlite_operations import OPERATIONS
from windlass.store.sqlite_session import Dialect, Session
from windlass.store.sqlite_writer import Connected, Reader, Writer

T = TypeVar("T")

READERS = 2


class SqliteDatabase:
    """A file of jobs on this machine.

    Whatever writes wait at one moment share a transaction, and each is answered after its commit.
    `inline` runs everything on the caller's thread, so that a simulator needs no other.
    """

    def __init__(
        self, path: str | Path, *, clock: Clock, chance: Chance, inline: bool = False
    ) -> None:
        """Open the file when first asked."""
        self.path = str(path)
        self._clock = clock
        self._patience = Patience(clock, chance)
        self._dialect = Dialect(OPERATIONS)
        self._pen = self._make_pen()
        self._writer: Hands = (
            InlineHands(self._pen) if inline else ThreadHands("windlass-writer", self._pen)
        )
        self._readers = [] if inline or self.path == MEMORY else self._make_readers()
        self._next_reader = cycle(self._readers or [self._writer])

    async def read(self, statement: Statement) -> Rows:
        """Answer a question; it changes nothing but that who came alone stands in line."""
        reader = next(self._next_reader)
        answer: Rows | None = await reader.do(
            lambda session: None if session.newcomers() else session.answer(statement)
        )
        if answer is not None:
            return answer
        try:
            await self._writer.do(Session.lined_up)
        except StoreAway:  # a disk that is full keeps nobody from asking
            return await self.perform(lambda session: session.foresee(statement))
        return await reader.do(lambda session: session.answer(statement))

    async def survey(self, statement: Statement) -> Rows:
        """Answer a question for which a whole table must be looked at."""
        return await self.read(statement)

    async def write(self, statement: Statement) -> Rows:
        """Run one statement as a transaction, shared with whatever else waits."""
        return await self._writer.do(lambda session: session.lined_up().answer(statement))

    def keep_here(self, statement: Statement) -> bool:
        """Keep a job that comes alone in a thread without a loop; False if it had to wait."""
        return self._writer.here(self._pen.keep, statement) is not None

    async def run(self, script: Script[T]) -> T:
        """Run a script as one transaction; answer after its commit."""
        return await self._writer.do(lambda session: session.lined_up().drive(script))

    async def perform(self, work: Work[T]) -> T:
        """Do, in a transaction of its own, what a statement or a script cannot express."""
        return await self._writer.do(work, alone=True)

    def at_once(self) -> bool:
        """Whether a thread without an event loop would write here and now, behind nobody."""
        return self._writer.at_once()

    async def close(self) -> None:
        """Finish what is queued and let go of every connection."""
        for hands in [*self._readers, self._writer]:
            await hands.close()

    def _make_pen(self) -> Writer:
        connected = Connected(partial(connect, self.path, self._patience))
        return Writer(connected, self._dialect, self._clock, self._patience)

    def _make_readers(self) -> Sequence[Hands]:
        return [self._make_reader(number) for number in range(READERS)]

    def _make_reader(self, number: int) -> Hands:
        connected = Connected(partial(connect, self.path, self._patience, reading=True))
        reader = Reader(connected, self._dialect, self._clock, self._patience)
        return ThreadHands(f"windlass-reader-{number}", reader)
