"""What workers leave behind: how attempts ended whose ends were not committed when they died.

Between the end of an attempt and its commit lie some milliseconds, or an outage of the database. A
kill in between takes the process, but not the pages of its files; so an end is written to a file
in memory first, and whoever reclaims the job on this machine finds it there. A will is a hint:
where it is missing, torn, or had no room, the job runs again, as it would without any.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from struct import Struct
from typing import TypeAlias
from zlib import crc32

import msgspec

from windlass.core.job import JobId, WorkerId
from windlass.core.settle import Settlement
from windlass.store.life_lock import LifeLock

Ends: TypeAlias = Mapping[tuple[JobId, int], Settlement]

SUFFIX = ".will"
# Written in turns: what was said last, up to one page of it, can always be read.
PAGES = 2
PAGE = 256 * 1024
# How long an entry is, and its checksum: who is killed while writing leaves half of one.
HEAD = Struct("<II")
NOTHING: Ends = {}

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[Settlement]).decode


class Will:
    """The will of one worker, while it works."""

    def __init__(self, lock: LifeLock) -> None:
        """Begin an empty one; raises OSError where there is no room for it."""
        self._lock = lock
        self._file: int | None = lock.hold()
        self._page = 0
        self._used = 0

    def write(self, settlements: Sequence[Settlement]) -> None:
        """Put down how these attempts ended, as far as there is room."""
        if not settlements or self._file is None:
            return
        text = _encode(settlements)
        entry = HEAD.pack(len(text), crc32(text)) + text
        if len(entry) > PAGE:
            self._write_halves(settlements)
            return
        if self._used + len(entry) > PAGE:
            self._page, self._used = (self._page + 1) % PAGES, 0
        try:
            os.pwrite(self._file, entry, self._page * PAGE + self._used)
        except OSError:  # no room: there is none from now on
            self._file = None
        self._used += len(entry)

    def close(self, *, executed: bool) -> None:
        """Leave it to others, or nothing if there is nothing that was not `executed`."""
        self._file = None
        if executed:
            self._lock.release()

    def _write_halves(self, settlements: Sequence[Settlement]) -> None:
        middle = len(settlements) // 2
        if middle:
            self.write(settlements[:middle])
            self.write(settlements[middle:])


class Wills:
    """The wills of the workers of one fleet on this machine."""

    def __init__(self, folder: Path) -> None:
        """Keep them in this folder, which is made with the first."""
        self._folder = folder

    def begin(self, worker: WorkerId) -> Will | None:
        """The will of a worker that begins, where there is room for one."""
        try:
            return Will(self._lock(worker))
        except OSError:
            return None

    def ends(self, worker: WorkerId) -> Ends:
        """How attempts of this worker ended, by job and fence."""
        try:
            text = self._lock(worker).path.read_bytes()
        except OSError:
            return NOTHING
        pages = (text[start : start + PAGE] for start in range(0, len(text), PAGE))
        return {(one.id, one.fence): one for page in pages for one in _read(page)}

    def left(self) -> list[WorkerId]:
        """The workers that died and left one."""
        files = sorted(self._folder.glob(f"*{SUFFIX}"))
        return [WorkerId(file.stem) for file in files if LifeLock(file).is_free()]

    def forget(self, worker: WorkerId) -> None:
        """Remove the will of a dead worker once there is nothing left to reclaim."""
        self._lock(worker).remove()

    def _lock(self, worker: WorkerId) -> LifeLock:
        return LifeLock(self._folder / f"{worker}{SUFFIX}")


def _read(page: bytes) -> Sequence[Settlement]:
    """The entries of a page, up to the first that is not whole."""
    found: list[Settlement] = []
    at = 0
    while at + HEAD.size <= len(page):
        length, checksum = HEAD.unpack_from(page, at)
        at += HEAD.size
        text = page[at : at + length]
        if not length or len(text) < length or crc32(text) != checksum:
            break
        found += _decode(text)
        at += length
    return found
