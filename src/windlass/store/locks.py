"""File locks of the nodes of one machine: a node holds its own, and a free one is a dead node."""

from __future__ import annotations

from pathlib import Path

from windlass.core.job import NodeId
from windlass.store.life_lock import LifeLock

SUFFIX = ".lock"


class NodeLocks:
    """The locks of all nodes of one fleet on this machine."""

    def __init__(self, folder: Path) -> None:
        """Keep them in this folder, which is made when the first is taken."""
        self.folder = folder

    @classmethod
    def beside(cls, database: Path) -> NodeLocks:
        """Those of a database that is a file."""
        return cls(database.with_name(f"{database.name}.nodes"))

    def lock(self, node: NodeId) -> LifeLock:
        """The lock of this node; it is to be held before the node joins."""
        return LifeLock(self.folder / f"{node}{SUFFIX}")

    def dead(self) -> list[NodeId]:
        """The nodes that ended without leaving."""
        files = sorted(self.folder.glob(f"*{SUFFIX}"))
        return [NodeId(file.stem) for file in files if LifeLock(file).is_free()]

    def forget(self, node: NodeId) -> None:
        """Remove the file of a dead node once nothing of it is left to reclaim."""
        lock = self.lock(node)
        if lock.is_free():
            lock.remove()
