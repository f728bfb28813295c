"""Commands in one transaction: each alone can fail, and all are answered after the commit."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from windlass.clock import Clock
from windlass.core.errors import WindlassError
from windlass.store.busy import Patience
from windlass.store.sqlite_commands import Command
from windlass.store.sqlite_errors import FATAL, code, translated
from windlass.store.sqlite_session import Dialect, Session


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

    def perform(self, commands: Sequence[Command[Any]]) -> None:
        """Answer each."""
        for command in commands:
            try:
                command.succeed(self._patience.wait(partial(self._read, command)))
            except BaseException as problem:  # noqa: BLE001 — the caller's to handle
                command.fail(translated(problem))

    def end(self) -> None:
        """Let go of the connection."""
        self._connected.drop()

    def _read(self, command: Command[Any]) -> Any:
        session = Session(self._connected.get(), self._clock.now_us(), self._dialect)
        return command.work(session)


class Writer:
    """Carries out commands together, in one transaction."""

    def __init__(
        self, connected: Connected, dialect: Dialect, clock: Clock, patience: Patience
    ) -> None:
        """Write to this connection."""
        self._connected = connected
        self._dialect = dialect
        self._clock = clock
        self._patience = patience

    def perform(self, commands: Sequence[Command[Any]]) -> None:
        """Carry all of them out, or say to each why not."""
        try:
            connection = self._connected.get()
        except (sqlite3.Error, WindlassError) as problem:
            _fail(commands, problem)
            return
        try:
            self._carry_out(connection, commands)
        finally:
            # Also after an interrupt, which a thread of the program's own may get at any moment.
            self._abandon(connection)

    def end(self) -> None:
        """Let go of the connection."""
        self._connected.drop()

    def tidy(self) -> None:
        """Fold the write-ahead log into the file, and begin it anew; do not insist.

        It keeps its length: a commit that makes it longer takes nearly twice as long.
        """
        try:
            self._connected.get().execute("pragma wal_checkpoint(restart)").fetchall()
        except (sqlite3.Error, WindlassError):
            return

    def _carry_out(self, connection: sqlite3.Connection, commands: Sequence[Command[Any]]) -> None:
        try:
            self._patience.wait(lambda: connection.execute("begin immediate"))
            for command in commands:
                self._one(connection, command, alone=len(commands) == 1)
        except (sqlite3.Error, WindlassError) as problem:
            _fail(commands, problem)
            return
        self._commit(connection, commands)

    def _one(self, connection: sqlite3.Connection, command: Command[Any], *, alone: bool) -> None:
        """Carry out one command, so that its failure undoes nothing but itself."""
        # The time is read under the lock, or a command could be decided before the one it follows.
        session = Session(connection, self._clock.now_us(), self._dialect)
        if not alone:
            connection.execute("savepoint command")
        try:
            command.succeed(command.work(session))
        except BaseException as problem:
            if isinstance(problem, sqlite3.Error) and code(problem) in FATAL:
                raise
            _undo(connection, alone=alone)
            command.fail(translated(problem))
            return
        if not alone:
            connection.execute("release command")

    def _commit(self, connection: sqlite3.Connection, commands: Sequence[Command[Any]]) -> None:
        try:
            if connection.in_transaction:
                connection.execute("commit")
        except sqlite3.Error as problem:
            for command in commands:
                command.fail(translated(problem, at_commit=True))

    def _abandon(self, connection: sqlite3.Connection) -> None:
        """Undo what is not committed, by closing the connection if there is no other way."""
        try:
            if connection.in_transaction:
                connection.execute("rollback")
        except sqlite3.Error:
            self._connected.drop()


def _undo(connection: sqlite3.Connection, *, alone: bool) -> None:
    if alone:
        # A change that was interrupted has undone the whole transaction already.
        if connection.in_transaction:
            connection.execute("rollback")
        return
    connection.execute("rollback to command")
    connection.execute("release command")


def _fail(commands: Sequence[Command[Any]], problem: BaseException) -> None:
    for command in commands:
        command.fail(translated(problem))
