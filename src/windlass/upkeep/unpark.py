"""Parked jobs that somebody may take after all."""

from __future__ import annotations

from windlass.bell.base import EVERY, Bell
from windlass.observe.events import JobsUnparked, Observer
from windlass.store.base import Store

CHUNK = 5_000


async def unpark(store: Store, bell: Bell, observer: Observer) -> None:
    """Put jobs back in line whose queue was resumed or whose type became known."""
    unparked = await store.unpark(CHUNK)
    if unparked:
        await bell.ring([EVERY], unparked)
        observer.on(JobsUnparked(unparked))
