"""A SQLite file: whether it can be used, who may read it, and how much room there is."""

from __future__ import annotations

import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from windlass.cli.checkup.finding import Finding, ok, problem, warning
from windlass.core.address import MEMORY, Address
from windlass.core.errors import BadStore
from windlass.store.filesystems import kind_of, refuse_network

MEBI = 1024 * 1024
# A burst of jobs and its write-ahead log fit into the first; the second lasts for minutes.
LITTLE, HARDLY_ANY = 1024 * MEBI, 64 * MEBI
LARGE_WAL = 256 * MEBI
OTHERS = stat.S_IRWXG | stat.S_IRWXO


def examine(place: str) -> Iterator[Finding]:
    """Look at the file from outside, and read it; nothing is made or changed."""
    if place == MEMORY:
        yield warning("store", "SQLite in memory: jobs end with the process", "name a file")
        return
    path = Path(place)
    yield _there(path)
    yield from _file_system(path)
    yield _room(path)
    if path.exists():
        yield _modes(path)
        yield _log(path)


def made(address: Address) -> bool:
    """Whether there is anything to look into."""
    return address.dialect == "postgres" or Path(address.place).exists()


def _there(path: Path) -> Finding:
    if not path.exists():
        return ok("store", f"SQLite {sqlite3.sqlite_version}, {path}: not made yet")
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            [(mode,)] = connection.execute("pragma journal_mode").fetchall()
    except sqlite3.Error as refused:
        return problem("store", f"{path} cannot be read: {refused}", "name another with --store")
    size = path.stat().st_size / MEBI
    return ok("store", f"SQLite {sqlite3.sqlite_version}, {path}: {size:,.1f} MiB, {mode} mode")


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
    folder = next(each for each in path.resolve().parents if each.exists())
    return room(shutil.disk_usage(folder).free)


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
