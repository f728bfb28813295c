"""The store's promises, and the little it asks of a database."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

from windlass.core.claim import Claim
from windlass.core.explain import Facts
from windlass.core.job import Attempt, Job, JobId, Lane, NewJob, NodeId, State, WorkerId
from windlass.core.limits import MAX_THREADS
from windlass.core.placement import Head
from windlass.core.search import JobFilter
from windlass.core.settle import Settlement
from windlass.store.locking import Locking
from windlass.store.script import Rows, Script, Statement
from windlass.store.totals import Totals

T = TypeVar("T")

# Ranks are µs since 1970 shifted by priority; these two enclose them all.
LOWEST_RANK = -(2**62)
HIGHEST_RANK = 2**62


class Database(Protocol):
    """Runs statements. Raises `StoreAway` when it cannot be reached, ambiguous when it may have."""

    async def read(self, statement: Statement) -> Rows:
        """Answer a question that changes nothing."""
        ...

    async def write(self, statement: Statement) -> Rows:
        """Run one statement as a transaction of its own."""
        ...

    async def run(self, script: Script[T]) -> T:
        """Run a script as one transaction; answer after its commit."""
        ...

    async def close(self) -> None:
        """Let go of every connection."""
        ...


class Enqueued(NamedTuple):
    """The answer to one enqueue: `existing` when its idempotency key already had a job."""

    id: JobId
    state: State
    existing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """What a worker can take right now from one lane."""

    node: NodeId
    worker: WorkerId
    lane: Lane
    limit: int
    types: Sequence[str]
    queues: Sequence[str] | None = None  # None: every queue
    free_threads: int = 0
    threads: int = MAX_THREADS  # the free ones and those it has granted
    widest: int = 0  # a job that asks for more, and for more than any live worker has, runs on one
    ranges: Sequence[tuple[int, int]] = ((LOWEST_RANK, HIGHEST_RANK),)


class Claimed(NamedTuple):
    """Claims, best first, and the database's time in µs when they were taken."""

    claims: list[Claim]
    now_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerRecord:
    """A worker as the fleet knows it."""

    id: WorkerId
    node: NodeId
    pid: int
    slots: int
    threads: int
    types: Sequence[str]
    queues: Sequence[str] | None
    alone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRecord:
    """A node as the fleet knows it."""

    id: NodeId
    host: str
    pid: int
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What a node learns when it renews. `known` is false if the fleet has forgotten it."""

    known: bool
    now_us: int = 0
    aging_us: int = 0
    widest: int = 0  # the most threads of any live worker
    suspects: int = 0  # jobs waiting in lane `alone`, counted up to 8


class Ask(NamedTuple):
    """A running job that somebody asked to cancel."""

    job: JobId
    fence: int
    worker: WorkerId


class Orphan(NamedTuple):
    """A running job that nobody runs any more."""

    claim: Claim
    alone: bool  # its worker ran one job at a time
    asked: bool  # somebody asked to cancel it


Decide: TypeAlias = Callable[[Orphan], Settlement]


@dataclass(frozen=True, slots=True)
class Reclaimed:
    """How many orphans were settled, and in which queues jobs wait again."""

    count: int
    queues: Sequence[str]


@dataclass(frozen=True, slots=True)
class Promotion:
    """How many due jobs were made pending, in which queues, and seconds until the next is due.

    `wide` if some of them ask for threads.
    """

    count: int
    queues: Sequence[str]
    next_in: float | None
    wide: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Jobs, newest first. `next` is where the next page begins, as `JobFilter.before`.

    `looked_back_to` is said when the search stopped before it had looked at every job: all that
    fit and were created since are here, and `next` goes on from there.
    """

    jobs: Sequence[Job] = ()
    next: JobId | None = None
    looked_back_to: datetime | None = None


class Matching(NamedTuple):
    """The ids of jobs, newest first, and where to go on; else as `Page`."""

    ids: list[JobId]
    next: JobId | None = None
    looked_back_to: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many jobs there are in each state: finished ones now, live ones at `counted_at`."""

    states: Mapping[State, int]
    counted_at: datetime

    def __getitem__(self, state: State) -> int:
        """How many there are in this state."""
        return self.states[state]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """A line a handler logged."""

    job: JobId
    fence: int
    number: int
    level: str
    message: str
    at: datetime | None = None  # set by the store


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far an attempt has come, in its own words."""

    job: JobId
    fence: int
    fraction: float
    message: str | None = None
    at: datetime | None = None  # set by the store


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRecord:
    """A queue with its waiting jobs counted, up to a bound."""

    name: str
    paused_at: datetime | None = None
    paused_by: str | None = None
    depth: int = 0
    running: int = 0
    oldest_at: datetime | None = None  # when the job that stands first was due


class NodeStatus(NamedTuple):
    """A node, until when its lease runs, and whether that is still to come."""

    record: NodeRecord
    lease_until: datetime
    alive: bool
    started_at: datetime


class WorkerStatus(NamedTuple):
    """A worker, how many jobs it runs, and which: the newest hundred."""

    record: WorkerRecord
    running: int
    jobs: Sequence[JobId]
    started_at: datetime
    lease_until: datetime  # of its node
    alive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """Every node and worker that has not left."""

    nodes: Sequence[NodeStatus] = ()
    workers: Sequence[WorkerStatus] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeRecord:
    """A type of job as workers have published it."""

    type: str
    queue: str
    priority: int
    threads: int
    max_attempts: int
    max_crashes: int
    timeout: float | None
    mode: str
    description: str | None
    schema: str  # the JSON Schema of its payload, as JSON text
    seen_at: datetime | None = None  # set by the store
    workers: int = 0  # live ones that know it; counted by the store


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A file that a handler kept with its job."""

    name: str
    media_type: str
    content: bytes = field(repr=False)


class Effects(Protocol):
    """Blocks whose effects commit with the settlement of the attempt they belong to.

    `finish` is called when the block ends well and says the settlement; a refusal raises
    `ClaimLost` and rolls everything back.
    """

    def block(self, finish: Callable[[], Settlement]) -> AbstractAsyncContextManager[Any]:
        """A block for coroutines: gives a connection to the store's own database."""
        ...

    def blocking(self, finish: Callable[[], Settlement]) -> AbstractContextManager[Any]:
        """The same for plain functions, on their own thread or in their own process."""
        ...

    async def close(self) -> None:
        """Let go of the connections."""
        ...


class Store(Totals, Locking, Protocol):
    """Keeps jobs. Every promise about them is a promise of one of these verbs."""

    async def enqueue(self, jobs: Sequence[NewJob]) -> list[Enqueued]:
        """Keep the jobs, all or none. Sending the same ids again changes nothing.

        Refuses, with `KeyTaken`, a key that belongs to another request.
        """
        ...

    async def claim(self, demand: Demand) -> Claimed:
        """Take up to `limit` pending jobs, best first. Two callers never get the same job.

        Refuses, by an empty answer, a node whose lease has run out.
        """
        ...

    async def head(self, demand: Demand) -> Head | None:
        """The first in the lane of those that the worker is wide enough for, free or not."""
        ...

    async def settle(self, settlements: Sequence[Settlement]) -> list[Settlement]:
        """End attempts, and answer with those refused because their claim was stale.

        Sending a settlement again that was applied is not a refusal.
        """
        ...

    async def held(self, worker: WorkerId) -> list[Claim]:
        """The claims the store believes this worker holds."""
        ...

    async def join(self, node: NodeRecord, lease: timedelta) -> None:
        """Make the node known and grant its first lease."""
        ...

    async def enlist(self, worker: WorkerRecord) -> None:
        """Make the worker known; its claims live by its node's lease."""
        ...

    async def renew(self, node: NodeId, lease: timedelta) -> Standing:
        """Extend the lease, also one that has run out but that nobody acted upon."""
        ...

    async def asked(self, node: NodeId) -> list[Ask]:
        """The running jobs of this node's workers that somebody asked to cancel."""
        ...

    async def dismiss(self, workers: Sequence[WorkerId]) -> None:
        """Mark workers ended, so that whatever they still hold is reclaimed at once."""
        ...

    async def leave(self, node: NodeId) -> None:
        """Forget the node and its workers."""
        ...

    async def promote(self, limit: int) -> Promotion:
        """Make due scheduled jobs pending; never one that is not due."""
        ...

    async def reclaim(self, decide: Decide, limit: int, *, lapsed: bool) -> Reclaimed:
        """Settle, as `decide` says, running jobs whose worker is gone or has ended.

        With `lapsed` also those whose node has let its lease run out.
        In one transaction, so that nobody else can take them in between; their fences grow.
        """
        ...

    async def park(self, limit: int) -> int:
        """Move jobs that nobody may take out of the way."""
        ...

    async def unpark(self, limit: int) -> int:
        """Move parked jobs that somebody may take now back in line."""
        ...

    async def fold(self, limit: int) -> int:
        """Merge old rollups into coarser ones; sums stay the same."""
        ...

    async def prune(self, retention: timedelta, limit: int) -> int:
        """Delete jobs finished longer ago than `retention`, and all that was kept with them."""
        ...

    async def cancel(self, ids: Sequence[JobId]) -> list[JobId]:
        """Cancel waiting jobs now and ask running ones to stop; answer with those still live."""
        ...

    async def retry(self, ids: Sequence[JobId]) -> list[JobId]:
        """Put failed and cancelled jobs back in line; answer with those that were."""
        ...

    async def delete(self, ids: Sequence[JobId]) -> list[JobId]:
        """Forget finished jobs; answer with those forgotten."""
        ...

    async def pause(self, queue: str, by: str) -> None:
        """Let no job of the queue be claimed from now on."""
        ...

    async def resume(self, queue: str) -> None:
        """Undo `pause`."""
        ...

    async def job(self, job_id: JobId) -> Job | None:
        """One job, live or finished."""
        ...

    async def find(self, ids: Sequence[JobId]) -> list[Job]:
        """These jobs, live and finished, in no order; those that are gone are left out."""
        ...

    async def page(self, which: JobFilter) -> Page:
        """Jobs, live and finished, newest first; none is doubled or missed from page to page."""
        ...

    async def matching(self, which: JobFilter) -> Matching:
        """The ids of the jobs of a page, for whoever need not read them."""
        ...

    async def attempts(self, job_id: JobId) -> list[Attempt]:
        """The attempts of a job that ended otherwise than well, oldest first."""
        ...

    async def counts(self) -> Counts:
        """How many jobs there are in each state; exact for the finished ones.

        Live ones are counted on the spot while that is cheap, else the last count is given.
        """
        ...

    async def queues(self) -> list[QueueRecord]:
        """Every queue with pending or running jobs, or a pause switch thrown."""
        ...

    async def fleet(self) -> Fleet:
        """The nodes and workers that have not left."""
        ...

    async def publish(self, types: Sequence[TypeRecord]) -> None:
        """Make types of job known, with what their payloads must look like."""
        ...

    async def types(self) -> list[TypeRecord]:
        """The types of job that workers have published, with how many live ones know each."""
        ...

    async def facts(self, job_id: JobId) -> Facts | None:
        """What bears on why a job waits."""
        ...

    async def note(self, progress: Sequence[Progress], lines: Sequence[LogLine]) -> None:
        """Keep progress and log lines of attempts whose claim is still good; drop the rest."""
        ...

    async def progress(self, job_id: JobId) -> Progress | None:
        """The latest progress of a job."""
        ...

    async def lines(self, job_id: JobId) -> list[LogLine]:
        """What a job logged, oldest first."""
        ...

    async def keep(self, job_id: JobId, fence: int, kept: Kept) -> None:
        """Keep a file with its job while the claim is good."""
        ...

    async def kept(self, job_id: JobId, name: str) -> Kept | None:
        """A file kept with a job."""
        ...

    async def aging(self) -> timedelta:
        """How much waiting is worth one point of priority."""
        ...

    async def set_aging(self, aging: timedelta) -> None:
        """Change the aging for jobs to come; `rerank` moves those that wait."""
        ...

    async def rerank(self, after: JobId | None, limit: int) -> JobId | None:
        """Re-rank up to `limit` waiting jobs in the order of their ids; answer with the last."""
        ...

    async def close(self) -> None:
        """Let go of the database."""
        ...
