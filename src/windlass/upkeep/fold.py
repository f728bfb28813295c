"""Rollups that are old enough to be coarse."""

from __future__ import annotations

from windlass.observe.events import Observer, RollupsFolded
from windlass.store.base import Store

CHUNK = 5_000


async def fold(store: Store, observer: Observer) -> float | None:
    """Merge old rollups into coarser ones, so that sums stay cheap."""
    folded = await store.fold(CHUNK)
    if folded:
        observer.on(RollupsFolded(folded))
    return 0.0 if folded >= CHUNK else None
