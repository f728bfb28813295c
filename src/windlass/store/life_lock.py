"""A file that is locked for as long as the process lives that made it."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path


class LifeLock:
    """Held by one process, however that ends: the system lets go of it then, and not before.

    It belongs to the open file, so a child that is forked without exec would hold it too.
    """

    def __init__(self, path: Path) -> None:
        """Name the file; it is made when the lock is taken."""
        self.path = path
        self._file: int | None = None

    def hold(self) -> int:
        """Take the lock until `release` or the end of the process; the open file is for its maker.

        The file has its name only when it is locked: at no moment is it free while its maker lives.
        """
        while self._file is None:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            nameless = self.path.with_suffix(".new")
            try:
                file = os.open(nameless, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
            except FileNotFoundError:  # whoever left last has just taken the folder along
                continue
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                nameless.rename(self.path)
            except OSError:
                nameless.unlink(missing_ok=True)
                os.close(file)
                raise
            self._file = file
        return self._file

    def release(self) -> None:
        """Let go, and leave nothing behind."""
        if self._file is None:
            return
        file, self._file = self._file, None
        self.remove()
        os.close(file)

    def remove(self) -> None:
        """Remove the file, and the folder with the last one."""
        self.path.unlink(missing_ok=True)
        with suppress(OSError):
            self.path.parent.rmdir()

    def is_free(self) -> bool:
        """Whether nobody holds it although somebody did; an unreadable file says nothing."""
        try:
            file = os.open(self.path, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return False
        finally:
            os.close(file)
        return True
