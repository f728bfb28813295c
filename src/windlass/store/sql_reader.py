"""What can be read from the store, written once for both databases."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from windlass.clock import Clock
from windlass.core.explain import Facts
from windlass.core.job import Attempt, Job, JobId, State
from windlass.core.placement import Head
from windlass.core.search import JobFilter
from windlass.store import rows
from windlass.store.asking import Asking
from windlass.store.base import Database
from windlass.store.counting import Counting
from windlass.store.faults import Dead, Failures
from windlass.store.paging import Paging
from windlass.store.records import (
    Counts,
    Demand,
    Fleet,
    Kept,
    Links,
    LogLine,
    Matching,
    Page,
    Progress,
    QueueRecord,
    TypeRecord,
)
from windlass.store.sql_faults import Faults

# Beyond this many waiting jobs a queue is simply deep.
QUEUE_BOUND = 10_000
# Of the jobs that a worker runs.
MOST_SHOWN = 100


class SqlReader(Asking):
    """Answers questions about jobs and the fleet; changes nothing."""

    def __init__(self, database: Database, clock: Clock) -> None:
        """Speak to `database`; `clock` only measures how long ago something happened."""
        self.database = database
        self.clock = clock
        self._counting = Counting(database, clock)
        self._paging = Paging(self._read, clock)
        self._faults = Faults(self._read, self._paging, clock)

    async def job(self, job_id: JobId) -> Job | None:
        """One job, live or finished."""
        found = await self._read("job", id=job_id)
        return rows.job(found[0]) if found else None

    async def find(self, ids: Sequence[JobId]) -> list[Job]:
        """These jobs, live and finished, in no order."""
        return await self._find(ids)

    async def _find(self, ids: Sequence[JobId]) -> list[Job]:
        return [rows.job(row) for row in await self._read("find", ids=list(ids))]

    async def page(self, which: JobFilter) -> Page:
        """Jobs, live and finished, newest first."""
        matching = await self.matching(which)
        found = await self._find(matching.ids) if matching.ids else []
        # Some may have changed their state since.
        jobs = [job for job in found if not which.states or job.state in which.states]
        jobs.sort(key=lambda job: job.id, reverse=True)
        return Page(jobs=jobs, next=matching.next, looked_back_to=matching.looked_back_to)

    async def matching(self, which: JobFilter) -> Matching:
        """The ids of the jobs of a page."""
        return await self._paging.matching(which)

    async def dead(self, most: int) -> Dead:
        """The dead letters, grouped by type and error."""
        return await self._faults.dead(most)

    async def failures(self, window: timedelta, most: int) -> Failures:
        """Attempts that failed within a window, grouped by type and error."""
        return await self._faults.failures(window, most)

    async def head(self, demand: Demand) -> Head | None:
        """The job that stands first in the demand's lane."""
        found = await self._read(
            "head",
            lane=demand.lane.value,
            types=list(demand.types),
            queues=None if demand.queues is None else list(demand.queues),
            threads=demand.threads,
            widest=demand.widest,
        )
        return Head(**dict(found[0])) if found else None

    async def links(self, job_id: JobId) -> Links:
        """The job that this one replays, and those that replay it."""
        found = await self._read("links", id=job_id)
        older = [JobId(str(row["id"])) for row in found if row["older"]]
        newer = [JobId(str(row["id"])) for row in found if not row["older"]]
        return Links(older[0] if older else None, sorted(newer))

    async def attempts(self, job_id: JobId) -> list[Attempt]:
        """The attempts of a job that ended otherwise than well, oldest first."""
        return [rows.attempt(row) for row in await self._read("attempts", id=job_id)]

    async def counts(self) -> Counts:
        """How many jobs there are in each state."""
        live = await self._counting.live()
        finished = await self._read("counts_finished")
        known = {**live.states, **{State(row["state"]): int(row["jobs"]) for row in finished}}
        states = {state: known.get(state, 0) for state in State}
        return Counts(states=states, counted_at=live.counted_at)

    async def queues(self) -> list[QueueRecord]:
        """Every queue with pending or running jobs, or a pause switch thrown."""
        return [rows.queue(row) for row in await self._read("queues", bound=QUEUE_BOUND)]

    async def facts(self, job_id: JobId) -> Facts | None:
        """What bears on why a job waits."""
        job = await self.job(job_id)
        if job is None:
            return None
        [row] = await self._read("facts", id=job_id)
        return rows.facts(row, job)

    async def fleet(self) -> Fleet:
        """The nodes and workers that have not left."""
        return Fleet(
            nodes=[rows.node(row) for row in await self._read("fleet_nodes")],
            workers=[
                rows.worker(row) for row in await self._read("fleet_workers", most=MOST_SHOWN)
            ],
        )

    async def types(self) -> list[TypeRecord]:
        """The types of job that workers have published."""
        return [rows.type_of_job(row) for row in await self._read("types")]

    async def progress(self, job_id: JobId) -> Progress | None:
        """The latest progress of a job."""
        found = await self._read("progress", id=job_id)
        return rows.progress(found[0]) if found else None

    async def lines(self, job_id: JobId) -> list[LogLine]:
        """What a job logged, oldest first."""
        return [rows.line(row) for row in await self._read("lines", id=job_id)]

    async def kept(self, job_id: JobId, name: str) -> Kept | None:
        """A file kept with a job."""
        found = await self._read("kept", id=job_id, name=name)
        return Kept(**dict(found[0])) if found else None

    async def aging(self) -> timedelta:
        """How much waiting is worth one point of priority."""
        [row] = await self._read("aging")
        return timedelta(microseconds=row["aging_us"])

    async def identity(self) -> str:
        """What tells this store from every other."""
        [row] = await self._read("identity")
        return str(row["identity"])
