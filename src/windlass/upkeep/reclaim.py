"""Running jobs that nobody runs any more."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

from windlass.bell.base import WIDE, Bell
from windlass.clock import Chance
from windlass.core.backoff import DEFAULT_BACKOFF
from windlass.core.errors import Busy, StoreAway
from windlass.core.job import FINISHED, JobId, Lane, WorkerId
from windlass.core.outcome import Cancelled, Crashed
from windlass.core.settle import Settlement, settle
from windlass.observe.events import ChoreFailed, JobsReclaimed, Observer
from windlass.store.base import Store
from windlass.store.records import NOBODY_GONE, Gone, Orphan
from windlass.store.wills import NOTHING, Ends

CHUNK = 500

# How attempts of a worker ended, as far as it left word of that.
EndsOf: TypeAlias = Callable[[WorkerId], Ends]


async def reclaim(  # noqa: PLR0913 — what is asked, what is known, and who is told
    store: Store,
    bell: Bell,
    observer: Observer,
    *,
    chance: Chance,
    gone: Gone = NOBODY_GONE,
    ends: EndsOf = lambda _: NOTHING,
    told: Callable[[], None] = lambda: None,
) -> float | None:
    """Settle attempts whose worker or node is gone: as they ended, if it left word of that."""
    heir = Heir(ends, chance)
    try:
        reclaimed = await store.reclaim(heir.decide, CHUNK, gone)
    except (StoreAway, Busy):
        raise
    except Exception as error:
        if not heir.ended:
            raise
        # An end that cannot be stored shall keep nobody waiting: what it is of runs again.
        observer.on(ChoreFailed("reclaim", f"by what workers left behind: {error!r}"))
        heir = Heir(lambda _: NOTHING, chance)
        reclaimed = await store.reclaim(heir.decide, CHUNK, gone)
    if reclaimed.count:
        await bell.ring([*reclaimed.queues, WIDE], reclaimed.count)
        observer.on(JobsReclaimed(reclaimed.count, len(heir.ended)))
        told()
    return 0.0 if reclaimed.count >= CHUNK else None


class Heir:
    """Decides about orphans, by the wills of their workers if there are any."""

    def __init__(self, ends: EndsOf, chance: Chance) -> None:
        """Read each will once."""
        self.ended: set[JobId] = set()
        self._ends = cache(ends)
        self._chance = chance

    def decide(self, orphan: Orphan) -> Settlement:
        """What becomes of a job; the executor's own backoff is unknown, so a crash waits as usual.

        Who ended before it was asked to stop has ended.
        """
        claim = orphan.claim
        end = self._ends(claim.worker).get((claim.id, claim.fence))
        if end is not None and (end.state in FINISHED or not orphan.asked):
            self.ended.add(claim.id)
            return end
        ending = Cancelled() if orphan.asked else death(orphan)
        given_up = settle(claim, ending, backoff=DEFAULT_BACKOFF, chance=self._chance.random())
        # Though it may end here: a worker that lives after all must not think that it was heard.
        return given_up._replace(fence_after=claim.fence + 1)


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
