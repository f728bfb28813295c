"""Jobs that nobody may take."""

from __future__ import annotations

from windlass.observe.events import JobsParked, Observer
from windlass.store.base import Store

CHUNK = 5_000


async def park(store: Store, observer: Observer) -> float | None:
    """Move jobs of paused queues and unknown types out of the way of those that can run."""
    parked = await store.park(CHUNK)
    if parked:
        observer.on(JobsParked(parked))
    return 0.0 if parked >= CHUNK else None
