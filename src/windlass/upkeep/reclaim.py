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
from windlass.store.records import NOBODY_GONE, Gone, Orphan

CHUNK = 500


async def reclaim(
    store: Store,
    bell: Bell,
    observer: Observer,
    *,
    chance: Chance,
    gone: Gone = NOBODY_GONE,
    told: Callable[[], None] = lambda: None,
) -> float | None:
    """Settle attempts whose worker or node is gone.

    The executor's own backoff is unknown here, so a crash waits by the default one.
    """

    def decide(orphan: Orphan) -> Settlement:
        ending = Cancelled() if orphan.asked else death(orphan)
        return settle(orphan.claim, ending, backoff=DEFAULT_BACKOFF, chance=chance.random())

    reclaimed = await store.reclaim(decide, CHUNK, gone)
    if reclaimed.count:
        await bell.ring([*reclaimed.queues, WIDE], reclaimed.count)
        observer.on(JobsReclaimed(reclaimed.count))
        told()
    return 0.0 if reclaimed.count >= CHUNK else None


def death(orphan: Orphan) -> Crashed:
    """What the end of its worker says about a job.

    A job that is poison kills its process, and the supervisor lives to tell. Where that is gone as
    well, a machine was lost, or all of it was killed: the first time nobody is suspected for it.
    """
    # A worker inside another program runs a suspect while nothing else runs there.
    if orphan.alone or orphan.claim.lane is Lane.ALONE:
        return Crashed(alone=True)
    if orphan.node_lost and not orphan.crashed_before:
        return Crashed(alone=False, suspect=False, error="the node running it was lost")
    return Crashed(alone=False)
