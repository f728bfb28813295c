"""Commands in one transaction: each alone can fail, and all are answered after the commit."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from windlass.clock import Clock
from windlass.core.errors import WindlassError
from windlass.store.busy import Courtesy, Patience
from windlass.store.script import Statement
from windlass.store.sqlite_commands import Command, Work
from windlass.store.sqlite_connection import LONG_LOG, fold_after
from windlass.store.sqlite_errors import FATAL, CommitFailed, code, translated
from windlass.store.sqlite_session import Dialect, Session, keep_apart

T = TypeVar("T")

# Whoever changes more rows than this at once writes batches.
FEW = 100
# So many jobs may come alone before they are put in line, if nobody else writes; no batch yet.
NEWCOMERS = FEW // 2


class Connected:
    """A connection that is opened when first needed, and anew after it broke."""

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        """Open by `connect`."""
        self._connect = connect
        self._connection: sqlite3.Connection | None = None

    def get(self) -> sqlite3.Connection:
        """The connection."""
        if self._connection is None:
            self._connection = self._connect()
        return self._connection

    def drop(self) -> None:
        """Close it; whatever it had begun is undone."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


class Reader:
    """Answers commands that change nothing, each from what was committed before it."""

    def __init__(
        self, connected: Connected, dialect: Dialect, clock: Clock, patience: Patience
    ) -> None:
        """Read from this connection."""
        self._connected = connected
        self._dialect = dialect
        self._clock = clock
        self._patience = patience

    def do(self, work: Work[T]) -> T:
        """Answer one."""
        try:
            return self._patience.wait(lambda: work(self._session()))
        except sqlite3.Error as problem:
            raise translated(problem)  # noqa: B904 — it knows where it comes from

    def perform(self, commands: Sequence[Command[Any]]) -> None:
        """Answer each."""
        for command in commands:
            command.settle_by(self.do)

    def tidy(self) -> None:
        """Who changes nothing leaves nothing behind."""

    def end(self) -> None:
        """Let go of the connection."""
        self._connected.drop()

    def _session(self) -> Session:
        return Session(self._connected.get(), self._clock.now_us(), self._dialect)


class Writer:
    """Carries out commands, each in a transaction of its own or several in one."""

    def __init__(
        self, connected: Connected, dialect: Dialect, clock: Clock, patience: Patience
    ) -> None:
        """Write to this connection."""
        self._connected = connected
        self._dialect = dialect
        self._clock = clock
        self._patience = patience
        self._courtesy = Courtesy(clock)
        self._newcomers = 0

    def do(self, work: Work[T]) -> T:
        """Carry out one command, and answer after its commit."""
        try:
            return self._transact(work)
        except sqlite3.Error as problem:
            raise translated(problem)  # noqa: B904 — it knows where it comes from

    def keep(self, statement: Statement) -> None:
        """Keep a job that came alone apart from the others, until somebody puts it in line."""
        try:
            connection = self._connected.get()
            self._patience.wait(
                lambda: keep_apart(
                    connection, self._dialect, {**statement.args, "now": self._clock.now_us()}
                )
            )
        except sqlite3.Error as problem:
            raise translated(CommitFailed(problem)) from problem
        self._newcomers += 1
        if self._newcomers == NEWCOMERS:
            self._line_up()

    def perform(self, commands: Sequence[Command[Any]]) -> None:
        """Carry all of them out together, or say to each why not."""
        if len(commands) == 1:
            commands[0].settle_by(self.do)
            return
        try:
            self._transact(lambda session: self._each(session, commands))
        except BaseException as problem:  # noqa: BLE001 — whoever waits must hear of it
            for command in commands:
                command.fail(translated(problem))

    def tidy(self) -> None:
        """Fold the write-ahead log into the file, and begin it anew; do not insist.

        It keeps its length: a commit that makes it longer takes nearly twice as long.
        """
        try:
            self._connected.get().execute("pragma wal_checkpoint(restart)").fetchall()
        except (sqlite3.Error, WindlassError):
            return

    def end(self) -> None:
        """Let go of the connection."""
        self._connected.drop()

    def _line_up(self) -> None:
        self._newcomers = 0
        with suppress(sqlite3.Error, WindlassError):  # whoever writes next does it
            self.do(Session.lined_up)

    def _transact(self, work: Work[T]) -> T:
        connection = self._connected.get()
        self._courtesy.rest()
        try:
            self._patience.wait(lambda: connection.execute("begin immediate"))
            with self._courtesy:
                return self._taken(connection, work)
        finally:
            # Also after an interrupt, which a thread of the program's own may get at any moment.
            self._abandon(connection)

    def _taken(self, connection: sqlite3.Connection, work: Work[T]) -> T:
        before = connection.total_changes
        # The time is read under the lock: nothing is decided before what it follows.
        answer = work(Session(connection, self._clock.now_us(), self._dialect))
        if connection.total_changes - before > FEW:
            fold_after(connection, LONG_LOG)
        self._commit(connection)
        return answer

    def _each(self, session: Session, commands: Sequence[Command[Any]]) -> None:
        """Carry out each, so that its failure undoes nothing but itself."""
        for command in commands:
            session.connection.execute("savepoint command")
            try:
                command.succeed(command.work(session._replace(now=self._clock.now_us())))
            except BaseException as problem:
                if isinstance(problem, sqlite3.Error) and code(problem) in FATAL:
                    raise
                session.connection.execute("rollback to command")
                command.fail(translated(problem))
            session.connection.execute("release command")

    def _commit(self, connection: sqlite3.Connection) -> None:
        try:
            if connection.in_transaction:
                connection.execute("commit")
        except sqlite3.Error as problem:
            raise CommitFailed(problem) from problem

    def _abandon(self, connection: sqlite3.Connection) -> None:
        """Undo what is not committed, by closing the connection if there is no other way."""
        try:
            if connection.in_transaction:
                connection.execute("rollback")
        except sqlite3.Error:
            self._connected.drop()
