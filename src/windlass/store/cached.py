"""A store whose jobs are read from Redis while they are asked for again and again.

Decision 22 says what that promises: nothing older than a second, nothing old while Redis is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from windlass.clock import Clock
from windlass.core.bulk import Chunk, Step
from windlass.core.job import Job, JobId, NewJob, State
from windlass.core.settle import Settlement
from windlass.store import entry
from windlass.store.answers import Answers
from windlass.store.base import Claimed, Database, Decide, Demand, Enqueued, Orphan, Reclaimed
from windlass.store.entry import Entry, Kind
from windlass.store.rows import EPOCH
from windlass.store.shelf import LIFE, Fill, Seen, Shelf
from windlass.store.sql_store import SqlStore

# A job asked for with less than this left of its time, in ms, is read along with one that must be;
RIPE = LIFE // 2
# with less than this left it must.
OVERRIPE = LIFE // 10
# So many are read along.
MOST_RIPE = 250


class CachedStore(SqlStore):
    """Keeps jobs in a database, and tells Redis what has changed."""

    def __init__(self, database: Database, clock: Clock, shelf: Shelf) -> None:
        """Put the shelf in front of the database."""
        super().__init__(database, clock)
        self.shelf = shelf
        self._answers = Answers(shelf, self.find)
        self._ripe: dict[JobId, Entry] = {}
        self._first_over = 0
        self._reading = 0

    # --- reading ----------------------------------------------------------------------------------

    async def job(self, job_id: JobId) -> Job | None:
        """One job, live or finished."""
        found = await self.find([job_id])
        return found[0] if found else None

    async def find(self, ids: Sequence[JobId]) -> list[Job]:
        """These jobs, from Redis as far as they are there."""
        seen = await self.shelf.look(ids) if ids else None
        if seen is None:
            return await super().find(ids)
        jobs: list[Job] = []
        missing: dict[JobId, bytes | None] = {}
        for job_id, found in zip(ids, seen.entries, strict=True):
            if found is None or found.kind != Kind.JOB:
                missing[job_id] = _fillable(found, seen)
                continue
            jobs.append(found.job())
            if found.ends - seen.at < RIPE:
                self._note(job_id, found)
        if missing or (self._ripe and self._first_over < seen.at + OVERRIPE):
            jobs += await self._read_and_keep(missing, seen)
        return jobs

    def _note(self, job_id: JobId, found: Entry) -> None:
        """Have it read again before its time is over, unless others are being read just now."""
        if self._reading or len(self._ripe) >= MOST_RIPE:
            return
        self._first_over = min(self._first_over, found.ends) if self._ripe else found.ends
        self._ripe[job_id] = found

    async def _read_and_keep(self, missing: dict[JobId, bytes | None], seen: Seen) -> list[Job]:
        """Read jobs, and with them those that will be asked for next, so that nobody need then."""
        ripe, self._ripe = self._ripe, {}
        tags = {job_id: one.tag for job_id, one in ripe.items() if one.ends > seen.at}
        tags |= {job_id: tag for job_id, tag in missing.items() if tag is not None}
        self._reading += 1
        try:
            found = await super().find(list({**tags, **missing}))
        finally:
            self._reading -= 1
        await self.shelf.fill(
            [
                Fill(
                    self.shelf.of_job(job.id),
                    tags[job.id],
                    entry.of_job(seen.tag, seen.at + LIFE, job),
                    seen.at + LIFE,
                )
                for job in found
                if job.id in tags and not self._soon_due(job)
            ]
        )
        return [job for job in found if job.id in missing]

    def _soon_due(self, job: Job) -> bool:
        """Whether it may be made pending within the time it would be kept: nobody would tell."""
        if job.state is not State.SCHEDULED:
            return False
        soon = self.clock.now_us() + LIFE * 1000
        return job.run_at <= EPOCH + timedelta(microseconds=soon)

    # --- enqueue ----------------------------------------------------------------------------------

    async def enqueue(self, jobs: Sequence[NewJob]) -> list[Enqueued]:
        """Keep the jobs, all or none; what is known to be kept is not sent."""
        keyed = [job for job in jobs if job.key is not None]
        if not keyed:
            return await super().enqueue(jobs)
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
            await self.shelf.changed([claim.id for claim in claimed.claims])
        return claimed

    async def settle(self, settlements: Sequence[Settlement]) -> list[Settlement]:
        """End attempts; answer with those refused."""
        async with self.shelf.changing([one.id for one in settlements]):
            return await super().settle(settlements)

    async def reclaim(self, decide: Decide, limit: int, *, lapsed: bool) -> Reclaimed:
        """Settle running jobs that nobody runs any more, as `decide` says."""
        ids: list[JobId] = []

        def decided(orphan: Orphan) -> Settlement:
            ids.append(orphan.claim.id)
            return decide(orphan)

        try:
            return await super().reclaim(decided, limit, lapsed=lapsed)
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

    async def delete(self, ids: Sequence[JobId]) -> list[JobId]:
        """Forget finished jobs; answer with those forgotten."""
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


def _fillable(found: Entry | None, seen: Seen) -> bytes | None:
    """The tag over which what is read may be kept, if it may."""
    if seen.ours(found):
        return seen.tag
    return found.tag if found is not None and found.kind == Kind.STATE else None
