"""Who is known to be dead, however long a lease has to go, and what the dead left behind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from windlass.core.job import NodeId, WorkerId
from windlass.store.base import Store
from windlass.store.wills import NOTHING, Ends


class Deaths(Protocol):
    """What this machine knows of the nodes that ended on it without leaving."""

    def dead(self) -> Sequence[NodeId]:
        """Those of which it has proof; a node that nobody heard of is none of them."""
        ...

    def forget(self, node: NodeId) -> None:
        """Let go of the proof, once it is of no more use."""
        ...


class Wills(Protocol):
    """What workers of this machine left behind; see `windlass.store.wills`."""

    def ends(self, worker: WorkerId) -> Ends:
        """How attempts of this worker ended, by job and fence."""
        ...

    def left(self) -> Sequence[WorkerId]:
        """The workers that died and left one."""
        ...

    def forget(self, worker: WorkerId) -> None:
        """Remove the will of a dead worker, once there is nothing left to reclaim."""
        ...


class Nobody:
    """Knows of no death."""

    def dead(self) -> Sequence[NodeId]:
        """None."""
        return ()

    def forget(self, node: NodeId) -> None:
        """There is nothing to let go of."""


class NoWills:
    """Nobody has left anything."""

    def ends(self, worker: WorkerId) -> Ends:  # noqa: ARG002 — nobody has left one
        """Nothing is known."""
        return NOTHING

    def left(self) -> Sequence[WorkerId]:
        """None."""
        return ()

    def forget(self, worker: WorkerId) -> None:
        """There is nothing to let go of."""


NOBODY: Deaths = Nobody()
NO_WILLS: Wills = NoWills()


async def bury(store: Store, deaths: Deaths, wills: Wills) -> None:
    """Forget the dead that the store has forgotten, and wills by which nothing is left to settle.

    Until then they have jobs to be reclaimed.
    """
    dead, left = deaths.dead(), wills.left()
    if not dead and not left:
        return
    fleet = await store.fleet()
    for node in set(dead) - {one.record.id for one in fleet.nodes}:
        deaths.forget(node)
    for worker in set(left) - {one.record.id for one in fleet.workers if one.running}:
        wills.forget(worker)
