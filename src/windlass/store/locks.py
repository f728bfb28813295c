"""File locks of the nodes of one machine: a node holds its own, and a free one is a dead node."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

from windlass.core.errors import StoreAway
from windlass.core.job import NodeId

SUFFIX = ".lock"
LOOKS, LOOK = 50, 0.002


class NodeLock:
    """The lock of one node. The system lets go of it when the process dies, however it dies.

    It belongs to the open file, so a child that is forked without exec would hold it too.
    """

    def __init__(self, path: Path) -> None:
        """Name the file; it is made when the lock is taken."""
        self.path = path
        self._file: int | None = None

    def hold(self) -> None:
        """Take the lock until `release` or the end of the process; take it before joining."""
        while self._file is None:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = os.open(self.path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
            if not _held(file):
                os.close(file)
                raise StoreAway(f"another process holds {self.path}")
            if not self._is_still(file):
                os.close(file)  # swept away between its making and its locking
                continue
            self._file = file

    def release(self) -> None:
        """Let go, and leave no file behind."""
        if self._file is None:
            return
        file, self._file = self._file, None
        self.path.unlink(missing_ok=True)
        os.close(file)

    def is_free(self) -> bool:
        """Whether nobody holds it although somebody did; a file that is not there says nothing."""
        try:
            file = os.open(self.path, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            return _try(file, fcntl.LOCK_SH)
        finally:
            os.close(file)

    def _is_still(self, file: int) -> bool:
        try:
            return os.path.samestat(os.fstat(file), self.path.stat())
        except FileNotFoundError:
            return False


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
            lock.path.unlink(missing_ok=True)


def _held(file: int) -> bool:
    """Whether the lock is ours now; somebody who only looks is gone in a moment."""
    for _ in range(LOOKS):
        if _try(file, fcntl.LOCK_EX):
            return True
        time.sleep(LOOK)
    return False


def _try(file: int, kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
