"""Enqueues for many callers at once, and rings for what was enqueued."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain, compress, islice, repeat
from operator import attrgetter
from typing import TypeAlias

from windlass.app.pile import Pile
from windlass.app.ports import Backend
from windlass.bell.base import EVERY, LATER, WIDE
from windlass.clock import Clock
from windlass.core.errors import BadStore, Busy, NotMigrated, StoreAway
from windlass.core.herald import Herald
from windlass.core.job import NewJob, State
from windlass.observe.events import JobsEnqueued
from windlass.store.enqueue import plain
from windlass.store.records import Enqueued

Answer: TypeAlias = list[Enqueued] | Exception

# What sending in smaller parts would not change.
EVERYONES = (StoreAway, NotMigrated, BadStore)

# A batch that large gains nothing from sharing a transaction, and would hold up the others.
LARGE = 1_000
# Later than this a job is seen by the next look at what is due; our clock may differ a little.
SOON = timedelta(seconds=2)
MAX_QUEUES = 8

_key = attrgetter("key")
_state = attrgetter("state")
# What of a job matters to a ring.
_telling = attrgetter("queue", "threads", "delay", "run_at")


class Sender:
    """Sends jobs to the store, those of concurrent callers in one transaction."""

    def __init__(self, backend: Backend, clock: Clock) -> None:
        """Jobs with a key may wait for somebody else's transaction, so they go by themselves."""
        self._backend = backend
        self._clock = clock
        self._observed = bool(backend.observer)
        self._plain = Pile(self._send)
        self._keyed = Pile(self._send)

    def enqueue_here(self, job: NewJob) -> Enqueued | None:
        """Keep a plain job in the caller's own thread; nothing if it takes more than that."""
        here = self._backend.here
        if here is None or type(job) is not NewJob or not plain(job):
            return None
        began = self._clock.monotonic()
        if not here.enqueue(job):
            return None
        took = self._clock.monotonic() - began
        here.ring(_words_for(job))
        if self._observed:
            self._backend.observer.on(JobsEnqueued(1, 1, took))
        return Enqueued(job.id, State.PENDING)

    async def enqueue(self, jobs: Sequence[NewJob]) -> list[Enqueued]:
        """Keep the jobs, all or none."""
        try:
            answer = await self._answer(jobs)
        except asyncio.CancelledError:
            self._backend.store.doubt(jobs)
            raise
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def enqueue_each(self, jobs: Sequence[NewJob]) -> list[Enqueued | Exception]:
        """Keep those of the jobs that can be kept, at best in one transaction."""
        try:
            answers = await self._send([[job] for job in jobs])
        except asyncio.CancelledError:
            self._backend.store.doubt(jobs)
            raise
        return [answer if isinstance(answer, Exception) else answer[0] for answer in answers]

    async def close(self) -> None:
        """Wait for what is under way."""
        await self._plain.close()
        await self._keyed.close()

    async def _answer(self, jobs: Sequence[NewJob]) -> Answer:
        if len(jobs) >= LARGE:
            [answer] = await self._send([jobs])
            return answer
        pile = self._keyed if any(map(_key, jobs)) else self._plain
        return await pile.add(jobs)

    async def _send(self, batches: Sequence[Sequence[NewJob]]) -> list[Answer]:
        jobs = list(chain.from_iterable(batches))
        began = self._clock.monotonic()
        herald = self._herald(jobs)
        try:
            kept = await self._backend.store.enqueue(jobs, herald)
        except EVERYONES:
            raise
        except asyncio.CancelledError:
            # Nobody waits for the answer any more; they may have been kept all the same.
            await self._backend.bell.ring(words(jobs, self._clock.now_us()), len(jobs))
            raise
        except Busy as busy:
            return await self._send_by_keys(batches, busy)
        except Exception as problem:  # noqa: BLE001 — one caller's mistake must not be everyone's
            return await self._send_halves(batches, problem)
        took = self._clock.monotonic() - began
        if herald is not None and herald.news is not None:
            await self._backend.bell.ring([herald.news])
        elif herald is None or not herald.sent:
            await self._ring(jobs, kept)
        self._backend.observer.on(JobsEnqueued(len(jobs), len(batches), took))
        answers = iter(kept)
        return [list(islice(answers, len(batch))) for batch in batches]

    def _herald(self, jobs: Sequence[NewJob]) -> Herald | None:
        """For a lone job that is due: where many come, one ring afterwards is cheaper."""
        if len(jobs) != 1 or not plain(jobs[0]):
            return None
        return self._backend.bell.herald(_words_for(jobs[0]))

    async def _ring(self, jobs: Sequence[NewJob], kept: Sequence[Enqueued]) -> None:
        """Ring for what is new: what was kept before has been rung for."""
        if len(jobs) == 1 and not kept[0].existing and plain(jobs[0]):
            await self._backend.bell.ring(_words_for(jobs[0]))
            return
        fresh = [not one.existing for one in kept]
        new = list(compress(jobs, fresh))
        states = map(_state, compress(kept, fresh))
        await self._backend.bell.ring(words(new, self._clock.now_us(), states), len(new))

    async def _send_by_keys(self, batches: Sequence[Sequence[NewJob]], busy: Busy) -> list[Answer]:
        """Send those with the same keys apart: only they wait for whoever holds them."""
        groups = _by_keys(batches)
        if len(groups) == 1:
            return [busy for _ in batches]
        answers: dict[int, Answer] = {}
        for places in groups.values():
            sent = await self._send_part([batches[place] for place in places])
            answers.update(zip(places, sent, strict=True))
        return [answers[place] for place in range(len(batches))]

    async def _send_halves(
        self, batches: Sequence[Sequence[NewJob]], problem: Exception
    ) -> list[Answer]:
        """Send again in halves, until whoever is to blame is alone with it."""
        if len(batches) == 1:
            return [problem]
        middle = len(batches) // 2
        parts = batches[:middle], batches[middle:]
        return [answer for part in parts for answer in await self._send_part(part)]

    async def _send_part(self, batches: Sequence[Sequence[NewJob]]) -> list[Answer]:
        """Send some of many: whatever happens to them, the others have their answers."""
        try:
            return await self._send(batches)
        except EVERYONES as problem:
            return [problem for _ in batches]


def _by_keys(batches: Sequence[Sequence[NewJob]]) -> dict[frozenset[str | None], list[int]]:
    """The places of the batches, by the keys they want."""
    groups: dict[frozenset[str | None], list[int]] = {}
    for place, batch in enumerate(batches):
        groups.setdefault(frozenset(job.key for job in batch), []).append(place)
    return groups


def _words_for(job: NewJob) -> list[str]:
    """What to ring for a lone job that is due."""
    return [job.queue, WIDE] if job.threads else [job.queue]


def words(
    jobs: Iterable[NewJob], now_us: int, states: Iterable[State | None] = repeat(None)
) -> list[str]:
    """What to ring for: the queues in which something is due, whether some is wide or due soon.

    What is due now or not, only the store knows for sure, so tell its answers if it has answered.
    """
    soon = datetime.fromtimestamp(now_us / 1_000_000, UTC) + SOON
    queues: set[str] = set()
    also: dict[str, None] = {}
    # Of a thousand jobs most are alike, and said once.
    for told, state in dict.fromkeys(zip(map(_telling, jobs), states, strict=False)):
        queue, threads, delay, run_at = told
        planned = delay is not None or run_at is not None
        if planned and not _due_by(soon, delay, run_at):
            continue
        if state is not State.SCHEDULED:
            queues.add(queue)
        if planned and state is not State.PENDING:
            also[LATER] = None
        if threads:
            also[WIDE] = None
    named = sorted(queues) if len(queues) <= MAX_QUEUES else [EVERY]
    return [*named, *also]


def _due_by(soon: datetime, delay: timedelta | None, run_at: datetime | None) -> bool:
    if delay is not None:
        return delay <= SOON
    return run_at is not None and run_at <= soon
