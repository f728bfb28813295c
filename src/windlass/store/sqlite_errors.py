"""What SQLite says, in the words of Windlass."""

from __future__ import annotations

import sqlite3

from windlass.core.errors import AlreadyKept, BadStore, Busy, NotMigrated, StoreAway, WindlassError

# The last byte of an extended result code is the plain one.
PLAIN = 0xFF

BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
AWAY = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_PERM,
    }
)
BROKEN = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
# What may undo a whole transaction, or leave one that cannot go on.
FATAL = BUSY | AWAY | BROKEN | {sqlite3.SQLITE_INTERRUPT}


class CommitFailed(sqlite3.OperationalError):
    """What SQLite said when it was to commit: perhaps it did."""

    def __init__(self, problem: sqlite3.Error) -> None:
        """Say the same as `problem`."""
        super().__init__(str(problem))
        self.sqlite_errorcode = code(problem)


def code(problem: sqlite3.Error) -> int:
    """SQLite's result code; Python's own complaints, such as a closed connection, have none."""
    return int(getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_MISUSE)) & PLAIN


def translated(problem: BaseException) -> BaseException:
    """The error to give to the caller: one of ours where the cause is known."""
    if not isinstance(problem, sqlite3.Error):
        return problem
    told = _translated(problem)
    if told is None:
        return problem
    told.__cause__ = problem
    return told


def _translated(problem: sqlite3.Error) -> WindlassError | None:
    number = code(problem)
    if number in BUSY:
        return Busy("another process kept the database to itself for too long")
    if number in AWAY:
        return _away(problem)
    if number in BROKEN:
        return BadStore(f"the database file is damaged or no database: {problem}")
    return _refused(problem)


def _away(problem: sqlite3.Error) -> StoreAway:
    if code(problem) == sqlite3.SQLITE_FULL:
        return StoreAway("the disk of the database is full; nothing was changed")
    # A commit whose sync failed may still be found in the file after a crash.
    perhaps = isinstance(problem, CommitFailed)
    return StoreAway(f"the database file cannot be used right now: {problem}", ambiguous=perhaps)


def _refused(problem: sqlite3.Error) -> WindlassError | None:
    said, number = str(problem), code(problem)
    if number == sqlite3.SQLITE_CONSTRAINT and said.startswith("UNIQUE"):
        return AlreadyKept(said)
    if said.startswith(("no such table", "no such column", "no such view")):
        return NotMigrated(
            f"the tables of Windlass are missing or old ({said}); run: windlass migrate up"
        )
    return None
