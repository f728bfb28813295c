"""Who is known to be dead, however long a lease has to go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from windlass.core.job import NodeId
from windlass.store.base import Store


class Deaths(Protocol):
    """What this machine knows of the nodes that ended on it without leaving."""

    def dead(self) -> Sequence[NodeId]:
        """Those of which it has proof; a node that nobody heard of is none of them."""
        ...

    def forget(self, node: NodeId) -> None:
        """Let go of the proof, once it is of no more use."""
        ...


class Nobody:
    """Knows of no death."""

    def dead(self) -> Sequence[NodeId]:
        """None."""
        return ()

    def forget(self, node: NodeId) -> None:
        """There is nothing to let go of."""


NOBODY: Deaths = Nobody()


async def bury(store: Store, deaths: Deaths) -> None:
    """Forget the dead that the store has forgotten: until then they have jobs to be reclaimed."""
    dead = deaths.dead()
    if not dead:
        return
    known = {one.record.id for one in (await store.fleet()).nodes}
    for node in set(dead) - known:
        deaths.forget(node)
