"""Everything that can be done with jobs once they are declared."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
)
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import Any, TypeAlias, Unpack

from windlass.app.board import Board, look
from windlass.app.bulk import bulk_job, order
from windlass.app.home import Homes
from windlass.app.lock import Hold
from windlass.app.options import Options, applied, drafted, like, template
from windlass.app.ports import Ports
from windlass.app.publishing import published
from windlass.app.sender import words
from windlass.app.view import Job, view
from windlass.app.which import Which, filter_of
from windlass.bell.base import ASKED, CHANGED, WIDE
from windlass.core import limits
from windlass.core.bulk import Action
from windlass.core.errors import (
    BadInput,
    NotFinished,
    UnknownJob,
    UnknownType,
    UnknownWorker,
    WrongState,
)
from windlass.core.explain import Explanation, explain, sentences
from windlass.core.job import Attempt, JobId, NewJob, State, WorkerId
from windlass.core.job import Job as StoredJob
from windlass.core.rank import parse_aging
from windlass.executors.base import Registry
from windlass.store import outside
from windlass.store.records import (
    Counts,
    Enqueued,
    Fleet,
    Kept,
    Links,
    LogLine,
    Page,
    Progress,
    QueueRecord,
    TypeRecord,
)

# Is around whatever is enqueued, and may put something into the jobs first.
Sending: TypeAlias = Callable[[Sequence[NewJob]], AbstractContextManager[Sequence[NewJob]]]

# The payload of a replay that changes none.
LIKE_BEFORE = object()
# Re-ranking holds locks; smaller steps leave room for claims in between.
RERANK_STEP = 5_000

_id = attrgetter("id")


class Verbs:
    """The verbs of an app, for code on an event loop; the store is opened when it is needed."""

    def __init__(self, ports: Ports) -> None:
        """Open nothing yet."""
        self.registry = Registry()
        self._ports = ports
        self._homes = Homes(ports)
        self.sending: Sending | None = None

    async def draft(self, type: str, payload: object, **options: Unpack[Options]) -> NewJob:  # noqa: A002
        """A new job of a type that is known here, or that workers anywhere have published.

        The payload is a value, or JSON as bytes. Nothing is kept before it is enqueued.
        """
        asked, validate = await self._making(type)
        return drafted(self._ports.chance.job_id(), applied(asked, options), validate, payload)

    async def enqueue(self, job: NewJob, *, connection: object = None) -> Enqueued:
        """Keep the job; with a `connection`, as part of the transaction that is open there."""
        if connection is None and self.sending is None and type(job) is NewJob:
            # What many jobs are asked first would take a lone one as long as its own steps.
            home = await self._homes.here()
            [answer] = await home.sender.enqueue([job])
        else:
            [answer] = await self.enqueue_many([job], connection=connection)
        return answer

    async def enqueue_many(
        self, jobs: Iterable[NewJob], *, connection: object = None
    ) -> list[Enqueued]:
        """Keep the jobs, all or none."""
        jobs = _distinct(jobs)
        if not jobs:
            return []
        if self.sending is None:
            return await self._keep(jobs, connection)
        with self.sending(jobs) as sent:
            return await self._keep(sent, connection)

    async def enqueue_each(self, jobs: Iterable[NewJob]) -> list[Enqueued | Exception]:
        """Keep those of the jobs that can be kept; in the places of the others answer why not."""
        home, jobs = await self._homes.here(), _distinct(jobs)
        if self.sending is None:
            return await home.sender.enqueue_each(jobs)
        with self.sending(jobs) as sent:
            return await home.sender.enqueue_each(sent)

    async def bulk(
        self,
        action: Action | str,
        which: str,
        *,
        rate: float | None = None,
        idempotency_key: str | None = None,
    ) -> Enqueued:
        """Retry, cancel or delete the jobs that fit a query, as in `status:failed type:email`.

        That is a job itself, which tells how far it has come and can be cancelled; `rate` is how
        many jobs it changes in a second, at most.
        """
        job = bulk_job(self._ports.chance.job_id(), order(action, which, rate), self._now())
        return await self.enqueue(job._replace(key=limits.key(idempotency_key)))

    async def get(self, job_id: JobId | str) -> Job:
        """The job as it is now."""
        return view(await self.read(job_id))

    async def read(self, job_id: JobId | str) -> StoredJob:
        """The job as it is stored: payload and result as JSON text."""
        home = await self._homes.here()
        return _found(await home.read(limits.job_id(job_id)), job_id)

    async def jobs(self, **which: Unpack[Which]) -> list[Job]:
        """Jobs, newest first."""
        return [view(job) for job in (await self.page(**which)).jobs]

    async def page(self, **which: Unpack[Which]) -> Page:
        """Jobs as they are stored, newest first, and where the next page begins."""
        home = await self._homes.here()
        return await home.store.page(filter_of(which, self._now()))

    async def wait(self, job_id: JobId | str, timeout: float | timedelta | None = 10) -> Job:
        """The job once it is finished; raises `NotFinished` after `timeout`."""
        home = await self._homes.here()
        seconds = limits.timeout(timeout)
        wanted = limits.job_id(job_id)
        try:
            async with asyncio.timeout(seconds):
                return view(_found(await home.watcher.finished(wanted), job_id))
        except TimeoutError:
            facts = await home.store.facts(wanted)
        if facts is None:
            raise UnknownJob(str(job_id))
        if facts.job.state.finished:
            return view(facts.job)
        raise NotFinished(wanted, facts.job.state, seconds or 0, sentences(facts)[0])

    async def cancel(self, job_id: JobId | str) -> Job:
        """Cancel a waiting job now, or ask a running one to stop."""
        home = await self._homes.here()
        wanted = limits.job_id(job_id)
        if await home.store.cancel([wanted]):
            await home.bell.ring([ASKED])
        job = _found(await home.store.job(wanted), job_id)
        if job.state in (State.COMPLETED, State.FAILED):
            raise WrongState(job.id, job.state, "it is over, and cannot be cancelled any more")
        return view(job)

    async def retry(self, job_id: JobId | str) -> Job:
        """Put a failed or cancelled job back in line, with all its attempts before it."""
        home = await self._homes.here()
        wanted = limits.job_id(job_id)
        again = await home.store.retry([wanted])
        job = _found(await home.store.job(wanted), job_id)
        if not again:
            raise WrongState(job.id, job.state, _why_no_retry(job))
        await home.bell.ring([job.queue, WIDE])
        return view(job)

    async def run_now(self, job_id: JobId | str) -> Job:
        """Put a job that is for later, or waits for its retry, in line at once."""
        home = await self._homes.here()
        wanted = limits.job_id(job_id)
        moved = await home.store.run_now([wanted])
        job = _found(await home.store.job(wanted), job_id)
        if not moved:
            raise WrongState(job.id, job.state, _why_not_now(job))
        await home.bell.ring([job.queue, WIDE])
        return view(job)

    async def replay(
        self, job_id: JobId | str, payload: object = LIKE_BEFORE, **options: Unpack[Options]
    ) -> Enqueued:
        """Enqueue a new job like a finished one, with another payload or other options if given.

        The old job stays as it is; `links` tells of both.
        """
        old = await self.read(job_id)
        if not old.state.finished:
            raise WrongState(old.id, old.state, "it is not over yet; cancel it first")
        _, validate = await self._making(old.type)
        said = old.payload.encode() if payload is LIKE_BEFORE else payload
        new = drafted(self._ports.chance.job_id(), applied(like(old), options), validate, said)
        home = await self._homes.here()
        # First: whatever is enqueued as a replay shall say so.
        await home.store.link(new.id, old.id)
        return await self.enqueue(new)

    async def links(self, job_id: JobId | str) -> Links:
        """The job that a job replays, and those that replay it."""
        home = await self._homes.here()
        return await home.store.links(limits.job_id(job_id))

    async def delete(self, job_id: JobId | str) -> None:
        """Forget a finished job."""
        home = await self._homes.here()
        wanted = limits.job_id(job_id)
        if not await home.store.delete([wanted]):
            job = _found(await home.store.job(wanted), job_id)
            raise WrongState(
                job.id, job.state, "only finished jobs can be deleted; cancel it first"
            )

    async def explain(self, job_id: JobId | str) -> Explanation:
        """Say why the job is where it is."""
        home = await self._homes.here()
        facts = await home.store.facts(limits.job_id(job_id))
        if facts is None:
            raise UnknownJob(str(job_id))
        return explain(facts)

    async def attempts(self, job_id: JobId | str) -> list[Attempt]:
        """The attempts of a job that ended otherwise than well, oldest first."""
        home = await self._homes.here()
        return await home.store.attempts(limits.job_id(job_id))

    async def progress(self, job_id: JobId | str) -> Progress | None:
        """How far the job has come, in its handler's words."""
        home = await self._homes.here()
        return await home.store.progress(limits.job_id(job_id))

    async def lines(self, job_id: JobId | str) -> list[LogLine]:
        """What the job logged, oldest first."""
        home = await self._homes.here()
        return await home.store.lines(limits.job_id(job_id))

    async def kept(self, job_id: JobId | str, name: str) -> Kept | None:
        """A file that the job's handler kept with it."""
        home = await self._homes.here()
        return await home.store.kept(limits.job_id(job_id), name)

    async def pause(self, queue: str, *, by: str = "the application") -> None:
        """Let no job of the queue start from now on."""
        home = await self._homes.here()
        await home.store.pause(limits.queue(queue), by)

    async def resume(self, queue: str) -> None:
        """Undo `pause`."""
        home = await self._homes.here()
        await home.store.resume(limits.queue(queue))
        await home.bell.ring([CHANGED, queue, WIDE])

    async def queues(self) -> list[QueueRecord]:
        """Every queue in which jobs wait, or that is paused."""
        home = await self._homes.here()
        return await home.store.queues()

    async def board(self) -> Board:
        """The queues and how jobs flow through them, the fleet, and what is wrong right now."""
        home = await self._homes.here()
        return await look(home.store, home.hail.lost)

    async def drain(self, worker: WorkerId | str, *, by: str = "the application") -> None:
        """Let a worker finish what it runs and claim no more."""
        home = await self._homes.here()
        if not await home.store.drain(limits.worker_id(worker), by):
            raise UnknownWorker(worker)

    async def end_drain(self, worker: WorkerId | str) -> None:
        """Let a worker claim jobs again."""
        home = await self._homes.here()
        if not await home.store.end_drain(limits.worker_id(worker)):
            raise UnknownWorker(worker)

    async def fleet(self) -> Fleet:
        """The nodes and workers that have not left."""
        home = await self._homes.here()
        return await home.store.fleet()

    async def types(self) -> list[TypeRecord]:
        """The types of job that are known: those workers have published, and those known here."""
        home = await self._homes.here()
        known = {record.type: record for record in published(self.registry)}
        known |= {record.type: record for record in await home.store.types()}
        return [known[type_] for type_ in sorted(known)]

    async def stats(self) -> Counts:
        """How many jobs there are in each state."""
        home = await self._homes.here()
        return await home.store.counts()

    async def aging(self) -> timedelta:
        """How much waiting is worth one point of priority."""
        home = await self._homes.here()
        return await home.store.aging()

    async def set_aging(
        self, aging: timedelta | str, *, told: Callable[[int], None] | None = None
    ) -> None:
        """Change the aging, also for the jobs that wait; `strict` lets priority alone decide.

        `told` hears, step by step, how many jobs were looked at so far.
        """
        home = await self._homes.here()
        await home.store.set_aging(parse_aging(aging) if isinstance(aging, str) else aging)
        last: JobId | None = None
        looked = 0
        while (last := await home.store.rerank(last, RERANK_STEP)) is not None:
            looked += RERANK_STEP
            if told is not None:
                told(looked)

    def lock(
        self,
        name: str,
        *,
        ttl: float | timedelta = 30,
        timeout: float | timedelta | None = None,
    ) -> AbstractAsyncContextManager[Hold]:
        """Hold the lock of this name while the block runs; nobody else anywhere does meanwhile.

        It is renewed in the background, and ends `ttl` after a holder that died. A block that
        can no longer be sure of it is cancelled and raises `LockLost`. Raises `LockTaken` if it
        cannot be had within `timeout`: 0 does not wait, None waits as long as it takes.
        """
        return self._held(limits.lock_name(name), limits.lock_ttl(ttl), limits.patience(timeout))

    @asynccontextmanager
    async def _held(self, name: str, ttl: timedelta, patience: float | None) -> AsyncIterator[Hold]:
        home = await self._homes.here()
        async with home.locks.held(name, ttl, patience) as hold:
            yield hold

    async def _keep(self, jobs: Sequence[NewJob], connection: object) -> list[Enqueued]:
        if connection is not None:
            return await outside.enqueue(self._request(jobs), connection)
        home = await self._homes.here()
        return await home.sender.enqueue(jobs)

    async def _making(self, type_: str) -> tuple[NewJob, Callable[[Any], str]]:
        """A job of this type that lacks only id and payload, and what checks a payload."""
        executor = self.registry.find(type_)
        if executor is not None:
            return template(executor), executor.validate
        catalog = (await self._homes.here()).catalog
        published = await catalog.get(type_)
        if published is None:
            raise UnknownType(type_, {*self.registry.types(), *catalog.names()})
        return published.template(), published.validate

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._ports.clock.now_us() / 1_000_000, UTC)

    def _request(self, jobs: Sequence[NewJob]) -> outside.Request:
        ports = self._ports
        now_us = ports.clock.now_us()
        return outside.Request(
            jobs=jobs,
            dialect=ports.dialect,
            schema=ports.schema,
            now_us=now_us,
            ring=ports.ring_sql(words(jobs, now_us)) if ports.ring_sql else None,
        )


def _distinct(jobs: Iterable[NewJob]) -> Sequence[NewJob]:
    jobs = list(jobs)
    for kind in set(map(type, jobs)) - {NewJob}:
        raise BadInput(f"enqueue takes jobs, made by a job type's .job(…), not {kind.__name__}")
    if len(set(map(_id, jobs))) < len(jobs):
        raise BadInput("the same job is there twice; each call of .job(…) makes a new one")
    return jobs


def _found(job: StoredJob | None, job_id: object) -> StoredJob:
    if job is None:
        raise UnknownJob(str(job_id))
    return job


def _why_not_now(job: StoredJob) -> str:
    if job.state is State.PENDING:
        return "it is due already, and waits its turn"
    if job.state is State.RUNNING:
        return "it runs already"
    return "it is over; retry it, or replay it as a new job"


def _why_no_retry(job: StoredJob) -> str:
    if job.state is State.COMPLETED:
        return "it is done; replay it as a new job"
    return "it is not finished; only failed and cancelled jobs can be retried"
