"""File locks of the nodes of one machine: a node holds its own, and a free one is a dead node."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from windlass.core.job import NodeId

SUFFIX = ".lock"


class NodeLock:
    """The lock of one node. The system lets go of it when the process dies, however it dies.

    It belongs to the open file, so a child that is forked without exec would hold it too.
    """

    def __init__(self, path: Path) -> None:
        """Name the file; it is made when the lock is taken."""
        self.path = path
        self._file: int | None = None

    def hold(self) -> None:
        """Take the lock until `release` or the end of the process; take it before joining.

        The file has its name only when it is locked: at no moment is it free while its node lives.
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


class NodeLocks:
    """The locks of all nodes of one fleet on this machine."""

    def __init__(self, folder: Path) -> None:
        """Keep them in this folder, which is made when the first is taken."""
        self.folder = folder

    @classmethod
    def beside(cls, database: Path) -> NodeLocks:
        """Those of a database that is a file."""
        return cls(database.with_name(f"{database.name}.nodes"))

    def lock(self, node: NodeId) -> NodeLock:
        """The lock of this node."""
        return NodeLock(self.folder / f"{node}{SUFFIX}")

    def dead(self) -> list[NodeId]:
        """The nodes that ended without leaving."""
        files = sorted(self.folder.glob(f"*{SUFFIX}"))
        return [NodeId(file.stem) for file in files if NodeLock(file).is_free()]

    def forget(self, node: NodeId) -> None:
        """Remove the file of a dead node once nothing of it is left to reclaim."""
        lock = self.lock(node)
        if lock.is_free():
            lock.remove()
