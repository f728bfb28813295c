"""Jobs whose time has come."""

from __future__ import annotations

import asyncio

from windlass.bell.base import WIDE, Bell
from windlass.observe.events import JobsPromoted, Observer
from windlass.store.base import Store

CHUNK = 5_000
# A job may be scheduled at any moment for the next one, so look at least this often.
LONGEST_WAIT = 1.0


async def promote(store: Store, bell: Bell, observer: Observer) -> float:
    """Make due jobs pending, and come back when the next one is due."""
    time = asyncio.get_running_loop().time
    asked = time()
    promoted = await store.promote(CHUNK)
    if promoted.count:
        words = [*promoted.queues, WIDE] if promoted.wide else promoted.queues
        await bell.ring(words, promoted.count)
        observer.on(JobsPromoted(promoted.count))
    if promoted.next_in is None:
        return LONGEST_WAIT
    # It was said of the moment of asking; the commit and the ring have taken some of it.
    return min(max(promoted.next_in - (time() - asked), 0.0), LONGEST_WAIT)
