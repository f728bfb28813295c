"""What the store takes and gives: values, and nothing that acts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from windlass.core.claim import Claim
from windlass.core.job import Job, JobId, Lane, NodeId, State, WorkerId
from windlass.core.limits import MAX_THREADS
from windlass.core.settle import Settlement

# Ranks are µs since 1970 shifted by priority; these two enclose them all.
LOWEST_RANK = -(2**62)
HIGHEST_RANK = 2**62
# And these two the ids of all jobs.
FIRST_ID = JobId("00000000-0000-0000-0000-000000000000")
LAST_ID = JobId("ffffffff-ffff-ffff-ffff-ffffffffffff")


class Enqueued(NamedTuple):
    """The answer to one enqueue: `existing` when its idempotency key already had a job."""

    id: JobId
    state: State | None  # None: that job is over and pruned, while its key still holds
    existing: bool = False


class Demand(Struct, frozen=True, kw_only=True):
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


class WorkerRecord(Struct, frozen=True, kw_only=True):
    """A worker as the fleet knows it."""

    id: WorkerId
    node: NodeId
    pid: int
    slots: int
    threads: int
    types: Sequence[str]
    queues: Sequence[str] | None
    alone: bool = False


class NodeRecord(Struct, frozen=True, kw_only=True):
    """A node as the fleet knows it."""

    id: NodeId
    host: str
    pid: int
    version: str


class Standing(Struct, frozen=True, kw_only=True):
    """What a node learns when it renews. `known` is false if the fleet has forgotten it."""

    known: bool
    now_us: int = 0
    aging_us: int = 0
    widest: int = 0  # the most threads of any live worker
    suspects: int = 0  # jobs waiting in lane `alone`, counted up to 8
    draining: Sequence[WorkerId] = ()  # those of its workers that shall claim no more


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
    node_lost: bool = False  # with the worker went the supervisor that would have told of its end
    crashed_before: bool = False


Decide: TypeAlias = Callable[[Orphan], Settlement]


class Gone(Struct, frozen=True):
    """Which nodes are taken for dead though they did not leave.

    However late that is acted upon, it is nobody who was not meant when it was said.
    """

    lapsed_by: int | None = None  # those whose lease had run out by this time of the database
    dead: Sequence[NodeId] = ()  # and those of whose end there is proof, whatever their lease


NOBODY_GONE = Gone()


class Reclaimed(Struct, frozen=True):
    """How many orphans were settled, and in which queues jobs wait again."""

    count: int
    queues: Sequence[str]


class Promotion(Struct, frozen=True):
    """How many due jobs were made pending, in which queues, and seconds until the next is due.

    `wide` if some of them ask for threads.
    """

    count: int
    queues: Sequence[str]
    next_in: float | None
    wide: bool = False


class Page(Struct, frozen=True, kw_only=True):
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


class Links(NamedTuple):
    """The job that a job replays, if it does, and those that replay it, the oldest first."""

    replay_of: JobId | None
    replays: Sequence[JobId]


class Counts(Struct, frozen=True, kw_only=True):
    """How many jobs there are in each state: finished ones now, live ones at `counted_at`."""

    states: Mapping[State, int]
    counted_at: datetime

    def __getitem__(self, state: State) -> int:
        """How many there are in this state."""
        return self.states[state]


class LogLine(Struct, frozen=True, kw_only=True):
    """A line a handler logged."""

    job: JobId
    fence: int
    number: int
    level: str
    message: str
    at: datetime | None = None  # set by the store


class Progress(Struct, frozen=True, kw_only=True):
    """How far an attempt has come, in its own words."""

    job: JobId
    fence: int
    fraction: float
    message: str | None = None
    at: datetime | None = None  # set by the store


class QueueRecord(Struct, frozen=True, kw_only=True):
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
    renewed_at: datetime  # when it was last heard of, …
    quiet: timedelta  # … and how long ago that is


class Held(NamedTuple):
    """A job that a worker runs, on so many threads, since so many µs after 1970."""

    id: JobId
    type: str
    queue: str
    name: str | None
    threads: int
    since_us: int


class WorkerStatus(NamedTuple):
    """A worker, how many jobs it runs, and which: the newest hundred."""

    record: WorkerRecord
    running: int
    jobs: Sequence[JobId]
    started_at: datetime
    lease_until: datetime  # of its node
    alive: bool
    threads_in_use: int = 0
    held: Sequence[Held] = ()  # the same jobs, and what is known of them there
    drain_at: datetime | None = None  # when it was told to claim no more, if it was
    drain_by: str | None = None


class Fleet(Struct, frozen=True, kw_only=True):
    """Every node and worker that has not left."""

    nodes: Sequence[NodeStatus] = ()
    workers: Sequence[WorkerStatus] = ()


class TypeRecord(Struct, frozen=True, kw_only=True):
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


class Kept(Struct, frozen=True, kw_only=True):
    """A file that a handler kept with its job."""

    name: str
    media_type: str
    content: bytes

    def __repr__(self) -> str:
        return f"Kept({self.name!r}, {self.media_type!r}, {len(self.content)} bytes)"
