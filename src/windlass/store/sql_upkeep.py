"""Chores of a store: what is due, what nobody runs or may take, and what was kept long enough."""

from __future__ import annotations

from datetime import timedelta

from windlass.clock import Clock
from windlass.core.job import JobId
from windlass.store import rows
from windlass.store.asking import Asking
from windlass.store.records import (
    FIRST_ID,
    LOWEST_RANK,
    NOBODY_GONE,
    Decide,
    Gone,
    Promotion,
    Reclaimed,
)
from windlass.store.rows import MICROSECOND
from windlass.store.script import Script, Statement
from windlass.store.settling import by_worker, finish, parted, returned

# Rollups: finer grain, age at which it is folded, coarser grain; all in seconds.
FOLDS = ((0, 60, 10), (10, 3600, 60), (60, 86_400, 3600))


class SqlUpkeep(Asking):
    """The verbs of chores; see `Store` for what each promises."""

    clock: Clock

    async def promote(self, limit: int) -> Promotion:
        """Make due scheduled jobs pending."""
        [row] = await self._write("promote", limit=limit)
        count = row["promoted"]
        next_in = 0.0 if count == limit else row["next_in"]
        return Promotion(count, rows.names(row["queues"]), next_in, wide=bool(row["wide"]))

    async def reclaim(self, decide: Decide, limit: int, gone: Gone = NOBODY_GONE) -> Reclaimed:
        """Settle running jobs that nobody runs any more, as `decide` says."""
        args = {"lapsed_by": gone.lapsed_by, "dead": list(gone.dead)}
        # Mostly there are none, and to see that takes no transaction.
        if not await self._read("orphans", **args, limit=1):
            return Reclaimed(0, ())
        look = Statement("orphans", {**args, "limit": limit})
        return await self.database.run(self._reclaim(decide, look))

    def _reclaim(self, decide: Decide, look: Statement) -> Script[Reclaimed]:
        orphans = [rows.orphan(row) for row in (yield look)]
        batch = [decide(one) for one in orphans]
        now = self.clock.monotonic()
        for worker, theirs in by_worker(batch).items():
            done, alive = parted(theirs)
            if done:
                yield finish(worker, done, now)
            if alive:
                yield returned(worker, alive, now)
        return Reclaimed(len(batch), sorted({one.claim.queue for one in orphans}))

    async def park(self, limit: int) -> int:
        """Move jobs that nobody may take out of the way."""
        return len(await self._write("park", limit=limit))

    async def unpark(self, limit: int) -> int:
        """Move parked jobs that somebody may take now back in line, all of them, in chunks."""
        rank, after, moved = LOWEST_RANK, FIRST_ID, 0
        while found := await self._write("unpark", rank=rank, id=after, limit=limit):
            rank, after = found[0]["rank"], found[0]["id"]
            moved += found[0]["moved"]
            if found[0]["looked"] < limit:
                break
        return moved

    async def fold(self, limit: int) -> int:
        """Merge old rollups into coarser ones."""
        folded = 0
        for finer, age, grain in FOLDS:
            answer = await self._write(
                "fold", finer=finer, age_us=age * 1_000_000, grain=grain, limit=limit
            )
            folded += answer[0]["folded"]
        return folded

    async def prune(self, retention: timedelta, limit: int) -> int:
        """Delete jobs finished longer ago than `retention`, and all that was kept with them."""
        retention_us = retention // MICROSECOND
        await self._write("prune_open")
        for row in await self._read("prune_days", retention_us=retention_us):
            await self.database.run(_drop_day(row["day"]))
        await self._write("prune_keys", limit=limit)
        await self._write("prune_workers")
        await self._write("prune_nodes")
        await self._write("prune_standby")
        await self._write("prune_types")
        await self._write("prune_locks")
        await self._write("prune_replays", retention_us=retention_us)
        found = await self._read("prune_old", retention_us=retention_us, limit=limit)
        old = [JobId(row["id"]) for row in found]
        # Their keys hold for as long as was said, though nobody can look at the jobs any more.
        return len(await self._write("delete", ids=old, with_keys=False)) if old else 0


def _drop_day(day: str) -> Script[None]:
    yield Statement("prune_tally", {"day": day})
    yield Statement("prune_drop", {"day": day})
