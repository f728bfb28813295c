"""Who may take a lease that ran out for a death: one node at a time.

Reclaiming is safe without it, by row locks and fences. This is the second line: of a fleet in which
everybody sees the same leases run out one acts, under a lock that outlives it by a second. What
is certainly dead (a worker that ended, or is gone) is reclaimed without asking for any lock.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import TypeAlias

from windlass.store.base import Store

LOCK = "windlass.reclaim"
TTL = timedelta(seconds=1)

# Whether a lease that ran out proves a death, also by this time of the database.
MayJudge: TypeAlias = Callable[[int | None], bool]


@asynccontextmanager
async def judging(store: Store, may_judge: MayJudge) -> AsyncIterator[int | None]:
    """By which time of the database a lease that ran out proves a death; None if it does not.

    The lock is asked for only if there is somebody to be judged.
    """
    lapsed_us = await store.lapsed() if may_judge(None) else None
    # A database whose clock was just set sees every lease run out, and nobody is dead.
    if lapsed_us is None or not may_judge(lapsed_us):
        yield None
        return
    grip = await store.lock(LOCK, TTL)
    if grip.token is None:
        yield None
        return
    try:
        # Still: who was frozen while it asked may not.
        yield lapsed_us if may_judge(None) else None
    finally:
        await store.unlock(LOCK, grip.token)
