"""What was answered to an idempotency key before: found in Redis, without asking the database.

Only what is committed is kept here, and it decides nothing: who may make a job is for the database.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta

from msgspec import Struct, field

from windlass.core.job import JobId, NewJob, State
from windlass.store import entry
from windlass.store.enqueue import fingerprint
from windlass.store.entry import Entry, Kind
from windlass.store.hot import Hot
from windlass.store.records import Enqueued
from windlass.store.shelf import LIFE, Fill, Seen, Shelf

# Who comes while the same key is being sent waits so long, once.
DAMPER = 0.005
# A key is kept for its window, but not longer than this, in ms.
LONGEST = 3_600_000
MILLISECOND = timedelta(milliseconds=1)
# Entries that tell the state of a job.
TELLING = (Kind.JOB, Kind.STATE)


class Known(Struct):
    """Jobs that need not be sent, with their answers; and leases for the others."""

    answers: dict[JobId, Enqueued] = field(default_factory=dict)
    leases: dict[JobId, Seen] = field(default_factory=dict)


class Answers:
    """Keeps what was answered to keys."""

    def __init__(self, shelf: Shelf, hot: Hot) -> None:
        """`hot` reads jobs whose state is not at hand."""
        self._shelf = shelf
        self._hot = hot

    async def known(self, jobs: Sequence[NewJob]) -> Known:
        """What needs no sending: keys whose request is committed, with the present state."""
        known = Known()
        unread: dict[JobId, JobId] = {}
        damped = await self._look(jobs, known, unread)
        if damped:
            await asyncio.sleep(DAMPER)
            await self._look(damped, known, unread)
        if unread:
            found = {job.id: job for job in await self._hot.find(list(set(unread.values())))}
            for wanting, holder in unread.items():
                # One that is gone is none of our knowledge: the database says what that means.
                if holder in found:
                    state = found[holder].state
                    known.answers[wanting] = Enqueued(holder, state, existing=True)
        return known

    async def keep(
        self, jobs: Sequence[NewJob], answers: Mapping[JobId, Enqueued], known: Known
    ) -> None:
        """Keep what was committed just now."""
        fills: dict[bytes, tuple[Seen, list[Fill]]] = {}
        for job in jobs:
            if job.key is not None and job.id in known.leases:
                seen = known.leases[job.id]
                _, some = fills.setdefault(seen.tag, (seen, []))
                some.extend(self._fills(job, job.key, answers[job.id], seen))
        for seen, some in fills.values():
            await self._shelf.fill(seen, some)

    async def _look(
        self, jobs: Sequence[NewJob], known: Known, unread: dict[JobId, JobId]
    ) -> list[NewJob]:
        """Sort the jobs by what is kept of their keys; answer with those that others send now."""
        seen = await self._shelf.look_at_keys([(job.key or "", job.id) for job in jobs])
        if seen is None:
            return []
        damped: list[NewJob] = []
        for job, (held, made) in zip(jobs, _pairs(seen), strict=True):
            if held is None or held.tag == seen.tag:
                known.leases[job.id] = seen
            elif held.kind == Kind.LEASE:
                damped.append(job)
            elif (holder := held.holder(fingerprint(job))) is None or holder == job.id:
                continue
            elif made is not None and made.kind in TELLING:
                known.answers[job.id] = Enqueued(holder, made.state, existing=True)
                self._hot.note(holder, made, seen)
            else:
                unread[job.id] = holder
        await self._hot.renew(seen)
        return damped

    def _fills(self, job: NewJob, key: str, answer: Enqueued, seen: Seen) -> Iterator[Fill]:
        tag, stamp, soon = seen.tag, seen.stamp, seen.at + LIFE
        # Of somebody else's job it is not known how long the key is its own.
        window = LIFE if answer.existing else min(job.key_window // MILLISECOND, LONGEST)
        ends = seen.at + window
        kept = entry.of_key(stamp, ends, fingerprint(job), answer.id)
        yield Fill(self._shelf.of_key(key), tag, kept, ends)
        if not answer.existing and answer.state is State.PENDING:
            state = entry.of_state(stamp, soon, answer.state)
            yield Fill(self._shelf.of_job(job.id), tag, state, soon)


def _pairs(seen: Seen) -> Iterator[tuple[Entry | None, Entry | None]]:
    return zip(seen.entries[::2], seen.entries[1::2], strict=True)
