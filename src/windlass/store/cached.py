"""A store whose jobs are read from Redis while they are asked for again and again.

Decision 22 says what that promises: nothing older than a second, nothing old while Redis is told.
"""

from __future__ import annotations

from collections.abc import Sequence

from windlass.clock import Clock
from windlass.core.bulk import Chunk, Step
from windlass.core.herald import Herald
from windlass.core.job import Job, JobId, NewJob
from windlass.core.settle import Settlement
from windlass.store.answers import Answers
from windlass.store.base import Database
from windlass.store.hot import Hot
from windlass.store.records import (
    NOBODY_GONE,
    Claimed,
    Decide,
    Demand,
    Enqueued,
    Gone,
    Orphan,
    Reclaimed,
)
from windlass.store.shelf import Shelf
from windlass.store.sql_store import SqlStore


class CachedStore(SqlStore):
    """Keeps jobs in a database, and tells Redis what has changed."""

    def __init__(self, database: Database, clock: Clock, shelf: Shelf) -> None:
        """Put the shelf in front of the database."""
        super().__init__(database, clock)
        self.shelf = shelf
        self._hot = Hot(shelf, self._find, clock)
        self._answers = Answers(shelf, self._hot)

    # --- reading ----------------------------------------------------------------------------------

    async def job(self, job_id: JobId) -> Job | None:
        """One job, live or finished."""
        found = await self.find([job_id])
        return found[0] if found else None

    async def find(self, ids: Sequence[JobId]) -> list[Job]:
        """These jobs, from Redis as far as they are there."""
        return await self._hot.find(ids)

    # --- enqueue ----------------------------------------------------------------------------------

    async def enqueue(self, jobs: Sequence[NewJob], herald: Herald | None = None) -> list[Enqueued]:
        """Keep the jobs, all or none; what is known to be kept is not sent."""
        keyed = [job for job in jobs if job.key is not None]
        if not keyed:
            return await super().enqueue(jobs, herald)
        known = await self._answers.known(keyed)
        rest = [job for job in jobs if job.id not in known.answers]
        sent = await super().enqueue(rest)
        answers = {job.id: answer for job, answer in zip(rest, sent, strict=True)}
        await self._answers.keep(rest, answers, known)
        return [known.answers.get(job.id) or answers[job.id] for job in jobs]

    # --- what changes jobs ------------------------------------------------------------------------

    async def claim(self, demand: Demand) -> Claimed:
        """Take up to `limit` pending jobs, best first."""
        claimed = await super().claim(demand)
        if claimed.claims:
            await self.shelf.started([claim.id for claim in claimed.claims])
        return claimed

    async def settle(self, settlements: Sequence[Settlement]) -> list[Settlement]:
        """End attempts; answer with those refused."""
        async with self.shelf.changing([one.id for one in settlements]):
            return await super().settle(settlements)

    async def reclaim(self, decide: Decide, limit: int, gone: Gone = NOBODY_GONE) -> Reclaimed:
        """Settle running jobs that nobody runs any more, as `decide` says."""
        ids: list[JobId] = []

        def decided(orphan: Orphan) -> Settlement:
            ids.append(orphan.claim.id)
            return decide(orphan)

        try:
            return await super().reclaim(decided, limit, gone)
        finally:
            await self.shelf.changed(ids)

    async def cancel(self, ids: Sequence[JobId]) -> list[JobId]:
        """Cancel waiting jobs now and ask running ones to stop; answer with those still live."""
        async with self.shelf.changing(ids):
            return await super().cancel(ids)

    async def retry(self, ids: Sequence[JobId]) -> list[JobId]:
        """Put failed and cancelled jobs back in line; answer with those that were."""
        async with self.shelf.changing(ids):
            return await super().retry(ids)

    async def run_now(self, ids: Sequence[JobId]) -> list[JobId]:
        """Put jobs for later in line at once; answer with those that were."""
        async with self.shelf.changing(ids):
            return await super().run_now(ids)

    async def delete(self, ids: Sequence[JobId]) -> list[JobId]:
        """Forget finished jobs and their keys; answer with the jobs forgotten."""
        async with self.shelf.changing(ids):
            return await super().delete(ids)

    async def advance(self, chunk: Chunk) -> Step:
        """Change the jobs of a chunk that still fit, and move the place past it."""
        async with self.shelf.changing(chunk.ids):
            return await super().advance(chunk)

    async def close(self) -> None:
        """Let go of the database and of Redis."""
        await super().close()
        await self.shelf.close()
