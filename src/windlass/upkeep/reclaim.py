"""Running jobs that nobody runs any more."""

from __future__ import annotations

from collections.abc import Callable

from windlass.bell.base import WIDE, Bell
from windlass.clock import Chance
from windlass.core.backoff import DEFAULT_BACKOFF
from windlass.core.job import Lane
from windlass.core.outcome import Cancelled, Crashed
from windlass.core.settle import Settlement, settle
from windlass.observe.events import JobsReclaimed, Observer
from windlass.store.base import Store
from windlass.store.records import Orphan

CHUNK = 500


async def reclaim(
    store: Store,
    bell: Bell,
    observer: Observer,
    *,
    chance: Chance,
    lapsed: bool,
    told: Callable[[], None] = lambda: None,
) -> float | None:
    """Settle attempts whose worker is dead, and with `lapsed` those whose lease ran out.

    The executor's own backoff is unknown here, so a crash waits by the default one.
    """

    def decide(orphan: Orphan) -> Settlement:
        # A worker inside another program runs a suspect while nothing else runs there.
        alone = orphan.alone or orphan.claim.lane is Lane.ALONE
        ending = Cancelled() if orphan.asked else Crashed(alone=alone)
        return settle(orphan.claim, ending, backoff=DEFAULT_BACKOFF, chance=chance.random())

    reclaimed = await store.reclaim(decide, CHUNK, lapsed=lapsed)
    if reclaimed.count:
        await bell.ring([*reclaimed.queues, WIDE], reclaimed.count)
        observer.on(JobsReclaimed(reclaimed.count))
        told()
    return 0.0 if reclaimed.count >= CHUNK else None
