"""Finished jobs that were kept long enough."""

from __future__ import annotations

from datetime import timedelta

from windlass.observe.events import JobsPruned, Observer
from windlass.store.base import Store

CHUNK = 1_000


async def prune(store: Store, observer: Observer, *, retention: timedelta) -> float | None:
    """Delete finished jobs past their retention, and make room for the days to come."""
    pruned = await store.prune(retention, CHUNK)
    if pruned:
        observer.on(JobsPruned(pruned))
    return 0.0 if pruned >= CHUNK else None
