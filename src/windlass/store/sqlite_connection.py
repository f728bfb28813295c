"""Opens the file of an embedded database, or says why it cannot be one."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from windlass.core.errors import BadStore
from windlass.store.busy import Patience
from windlass.store.filesystems import refuse_network

MEMORY = ":memory:"
OLDEST = (3, 35)  # the first with RETURNING

# Enough for the heads and tails of every index; a process that idles must stay below 90 MB.
CACHE_KIB = 16 * 1024
# The write-ahead log is folded into the file every 4 MB, since a commit takes twice as long while
# the log grows; every 16 MB once batches are written, which feel each folding, and no growth.
SHORT_LOG, LONG_LOG = 1_000, 4_000
# Give back what a burst or a slow reader made it grow to.
WAL_LIMIT = 64 * 1024 * 1024
# Each statement about many rows is kept in ten widths, the widest of some 200 KB.
STATEMENTS = 200


def connect(path: str, patience: Patience, *, reading: bool = False) -> sqlite3.Connection:
    """Open the file, made first if need be; a file that is no database is left as it is."""
    if sqlite3.sqlite_version_info < OLDEST:
        raise BadStore(
            f"SQLite {sqlite3.sqlite_version} is too old; Windlass needs 3.35 or later,"
            " as every Python built since 2021 can have"
        )
    if path != MEMORY:
        _make(Path(path))
    connection = _opened(path)
    try:
        patience.wait(lambda: _prepare(connection, path, reading=reading))
    except sqlite3.DatabaseError as problem:
        connection.close()
        raise BadStore(f"{path} cannot be used as a database: {problem}") from problem
    except BaseException:
        connection.close()
        raise
    return connection


def fold_after(connection: sqlite3.Connection, pages: int) -> None:
    """Have SQLite fold the write-ahead log into the file whenever it has this many pages."""
    connection.execute(f"pragma wal_autocheckpoint = {pages}").fetchall()


def _make(path: Path) -> None:
    """Make the file and its folder for this account's eyes only; both may hold payloads.

    A file that is there is never opened but by SQLite: closing any descriptor of it drops every
    lock that this process holds on it, and another process may then cut its log from under us.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        refuse_network(path)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        return
    except OSError as problem:
        raise BadStore(f"{path} cannot be opened: {problem.strerror}") from problem


def _opened(path: str) -> sqlite3.Connection:
    try:
        return sqlite3.connect(
            path,
            timeout=0,  # we wait ourselves
            isolation_level=None,  # and begin and commit ourselves
            check_same_thread=False,
            cached_statements=STATEMENTS,
        )
    except sqlite3.Error as problem:
        raise BadStore(f"{path} cannot be opened: {problem}") from problem


def _prepare(connection: sqlite3.Connection, path: str, *, reading: bool) -> None:
    connection.execute("pragma schema_version").fetchall()  # fails if it is no database
    [(mode,)] = connection.execute("pragma journal_mode = wal").fetchall()
    if mode != "wal" and path != MEMORY:
        raise BadStore(f"{path} cannot keep a write-ahead log (its mode stays {mode!r})")
    connection.execute("pragma synchronous = full")
    connection.execute("pragma foreign_keys = on")
    connection.execute("pragma temp_store = memory")
    connection.execute(f"pragma cache_size = -{CACHE_KIB}")
    fold_after(connection, SHORT_LOG)
    connection.execute(f"pragma journal_size_limit = {WAL_LIMIT}").fetchall()
    if reading:
        connection.execute("pragma query_only = on")
