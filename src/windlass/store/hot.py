"""Jobs that are asked for again and again: taken from the shelf, read together when they must."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import TypeAlias

from windlass.clock import Clock
from windlass.core.job import Job, JobId, State
from windlass.store import entry
from windlass.store.entry import Entry, Kind
from windlass.store.rows import instant
from windlass.store.shelf import LIFE, Fill, Seen, Shelf

Read: TypeAlias = Callable[[Sequence[JobId]], Awaitable[list[Job]]]

# A job asked for with less than this left of its time, in ms, is read along with one that must be;
RIPE = LIFE // 2
# with less than this left it must.
OVERRIPE = LIFE // 10
# So many are read along.
MOST_RIPE = 250


class Hot:
    """Reads jobs through the shelf, about once a second for all that are asked for all the time."""

    def __init__(self, shelf: Shelf, read: Read, clock: Clock) -> None:
        """`read` asks the database."""
        self._shelf = shelf
        self._read = read
        self._clock = clock
        self._ripe: dict[JobId, Entry] = {}
        self._first_over = 0
        self._reading = 0

    async def find(self, ids: Sequence[JobId]) -> list[Job]:
        """These jobs, from the shelf as far as they are there; in no order."""
        seen = await self._shelf.look(ids) if ids else None
        if seen is None:
            return await self._read(ids)
        jobs: list[Job] = []
        missing: dict[JobId, bytes | None] = {}
        for job_id, found in zip(ids, seen.entries, strict=True):
            if found is None or found.kind != Kind.JOB:
                missing[job_id] = _fillable(found, seen)
            else:
                jobs.append(found.job())
                self.note(job_id, found, seen)
        if missing:
            return jobs + await self._read_and_keep(missing, seen)
        await self.renew(seen)
        return jobs

    def note(self, job_id: JobId, found: Entry, seen: Seen) -> None:
        """Have it read again before its time is over, unless others are being read just now."""
        if found.ends - seen.at >= RIPE or self._reading or len(self._ripe) >= MOST_RIPE:
            return
        self._first_over = min(self._first_over, found.ends) if self._ripe else found.ends
        self._ripe[job_id] = found

    async def renew(self, seen: Seen) -> None:
        """Read what was noted, if it cannot wait for one that must be read."""
        if self._ripe and self._first_over < seen.at + OVERRIPE:
            await self._read_and_keep({}, seen)

    async def _read_and_keep(self, missing: dict[JobId, bytes | None], seen: Seen) -> list[Job]:
        """Read jobs, and with them those that will be asked for next, so that nobody need then."""
        ripe, self._ripe = self._ripe, {}
        tags = {job_id: one.tag for job_id, one in ripe.items() if one.ends > seen.at}
        tags |= {job_id: tag for job_id, tag in missing.items() if tag is not None}
        wanted = list({**tags, **missing})
        self._reading += 1
        try:
            found = await self._read(wanted) if wanted else []
        finally:
            self._reading -= 1
        ends = seen.at + LIFE
        fills = [
            Fill(
                self._shelf.of_job(job.id),
                tags[job.id],
                entry.of_job(seen.stamp, ends, job),
                ends,
            )
            for job in found
            if job.id in tags and not self._soon_due(job)
        ]
        await self._shelf.fill(seen, fills)
        return [job for job in found if job.id in missing]

    def _soon_due(self, job: Job) -> bool:
        """Whether it may be made pending within the time it would be kept: nobody would tell."""
        if job.state is not State.SCHEDULED:
            return False
        soon: datetime = instant(self._clock.now_us() + LIFE * 1000)
        return job.run_at <= soon


def _fillable(found: Entry | None, seen: Seen) -> bytes | None:
    """The tag over which what is read may be kept, if it may."""
    if found is None:
        return seen.tag
    return found.tag if found.kind == Kind.STATE else None
