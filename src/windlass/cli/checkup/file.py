"""A SQLite file: whether it can be used, who may read it, and how much room there is."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from windlass.cli.checkup.finding import Finding, Verdict, ok, problem, warning
from windlass.core.address import MEMORY, Address
from windlass.core.errors import BadStore
from windlass.store.filesystems import kind_of, refuse_network
from windlass.store.sqlite_errors import code

MEBI = 1024 * 1024
# A burst of jobs and its write-ahead log fit into the first; the second lasts for minutes.
LITTLE, HARDLY_ANY = 1024 * MEBI, 64 * MEBI
LARGE_WAL = 256 * MEBI
OTHERS = stat.S_IRWXG | stat.S_IRWXO
# How long somebody else may write before it is too long.
PATIENCE = 1.0


def examine(place: str) -> Iterator[Finding]:
    """Look at the file from outside, and see whether it takes a change; none is made."""
    if place == MEMORY:
        yield warning("store", "SQLite in memory: jobs end with the process", "name a file")
        return
    path = Path(place)
    there = _there(path)
    yield there
    yield from _file_system(path)
    yield _room(path)
    if path.exists() and there.verdict is Verdict.OK:
        yield _modes(path)
        yield _log(path)


def made(address: Address) -> bool:
    """Whether there is anything to look into."""
    return address.dialect == "postgres" or Path(address.place).exists()


def _there(path: Path) -> Finding:
    if not path.exists():
        return _not_yet(path)
    if path.is_dir():
        return problem("store", f"{path} is a folder", "name a file in it, with --store")
    try:
        mode = _mode(path)
    except sqlite3.Error as refused:
        return problem("store", f"{path} cannot be used: {refused}", _step(refused))
    size = path.stat().st_size / MEBI
    return ok("store", f"SQLite {sqlite3.sqlite_version}, {path}: {size:,.1f} MiB, {mode} mode")


def _not_yet(path: Path) -> Finding:
    folder = _folder(path)
    if folder.is_dir() and os.access(folder, os.W_OK | os.X_OK):
        return ok("store", f"SQLite {sqlite3.sqlite_version}, {path}: not made yet")
    return problem(
        "store",
        f"{path} cannot be made: this account may not write in {folder}",
        "let it, or name another file with --store",
    )


def _mode(path: Path) -> str:
    """How the file keeps its journal, once it is clear that it could be written to now."""
    url = f"{path.resolve().as_uri()}?mode=rw"
    with closing(sqlite3.connect(url, uri=True, timeout=PATIENCE)) as connection:
        [(mode,)] = connection.execute("pragma journal_mode").fetchall()
        connection.execute("begin immediate")
        connection.execute("rollback")
    return str(mode)


def _step(refused: sqlite3.Error) -> str:
    match code(refused):
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return "end the program that keeps it to itself, or wait for it"
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return "let this account write to it and to its folder, or name another with --store"
        case sqlite3.SQLITE_FULL | sqlite3.SQLITE_IOERR:
            return "see to its disk: it may be full, or fail"
        case _:
            return "name another with --store, or restore it from a backup"


def _file_system(path: Path) -> Iterator[Finding]:
    try:
        refuse_network(path)
    except BadStore as refused:
        yield problem("file system", str(refused), "move the file, or use PostgreSQL")
        return
    kind = kind_of(path)
    if kind:
        yield ok("file system", f"{kind}, on this machine")


def _room(path: Path) -> Finding:
    return room(shutil.disk_usage(_folder(path)).free)


def _folder(path: Path) -> Path:
    """The nearest folder that is there."""
    return next(each for each in path.resolve().parents if each.exists())


def room(free: int) -> Finding:
    """Whether so many free bytes will do."""
    told = f"{free // MEBI:,} MiB free"
    if free >= LITTLE:
        return ok("disk", told)
    grade = warning if free >= HARDLY_ANY else problem
    return grade("disk", told, "make room: a full disk refuses new jobs")


def _modes(path: Path) -> Finding:
    open_to_others = [
        f"{each.name} ({stat.filemode(each.stat().st_mode)})"
        for each in (path, *(Path(f"{path}{end}") for end in ("-wal", "-shm")))
        if each.exists() and each.stat().st_mode & OTHERS
    ]
    if not open_to_others:
        return ok("file modes", "only this account reads the file")
    return warning(
        "file modes",
        f"other accounts can open {', '.join(open_to_others)}; payloads may be secret",
        f"chmod 600 {path}*",
    )


def _log(path: Path) -> Finding:
    wal = Path(f"{path}-wal")
    size = wal.stat().st_size if wal.exists() else 0
    told = f"write-ahead log of {size / MEBI:,.1f} MiB"
    if size < LARGE_WAL:
        return ok("log", told)
    return warning("log", told, "end the program that keeps a read transaction open")
