"""The store's promises, and the little it asks of a database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from datetime import timedelta
from typing import Any, Protocol, TypeVar

from windlass.core.claim import Claim
from windlass.core.explain import Facts
from windlass.core.herald import Herald
from windlass.core.job import Attempt, Job, JobId, NewJob, NodeId, WorkerId
from windlass.core.placement import Head
from windlass.core.search import JobFilter
from windlass.core.settle import Settlement
from windlass.store.faults import FaultFinding
from windlass.store.locking import Locking
from windlass.store.records import (
    NOBODY_GONE,
    Ask,
    Claimed,
    Counts,
    Decide,
    Demand,
    Enqueued,
    Fleet,
    Gone,
    Kept,
    Links,
    LogLine,
    Matching,
    NodeRecord,
    Page,
    Progress,
    Promotion,
    QueueRecord,
    Reclaimed,
    Standing,
    TypeRecord,
    WorkerRecord,
)
from windlass.store.script import Rows, Script, Statement
from windlass.store.totals import Totals
from windlass.store.trends import Trends

T = TypeVar("T")


class Database(Protocol):
    """Runs statements. Raises `StoreAway` when it cannot be reached, ambiguous when it may have."""

    async def read(self, statement: Statement) -> Rows:
        """Answer a question that changes nothing."""
        ...

    async def survey(self, statement: Statement) -> Rows:
        """Answer a question for which a whole table must be looked at."""
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


class Store(Totals, Trends, FaultFinding, Locking, Protocol):
    """Keeps jobs. Every promise about them is a promise of one of these verbs."""

    async def enqueue(self, jobs: Sequence[NewJob], herald: Herald | None = None) -> list[Enqueued]:
        """Keep the jobs, all or none. Sending the same ids again changes nothing.

        Refuses, with `KeyTaken`, a key that belongs to another request. Who comes with a herald
        may have a lone job handed to a worker that stands by; the herald may go with the commit,
        and knows afterwards whether it did and what is left to say.
        """
        ...

    def doubt(self, jobs: Sequence[NewJob]) -> None:
        """Take note that somebody gave up on an enqueue of these, and may send them again."""
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

    async def teach(self, worker: WorkerId, types: Sequence[str]) -> None:
        """Let the fleet know which types of job the worker takes from now on."""
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

    async def drain(self, worker: WorkerId, by: str) -> bool:
        """Let the worker claim no more; false if there is no such worker."""
        ...

    async def end_drain(self, worker: WorkerId) -> bool:
        """Undo `drain`."""
        ...

    async def stand_by(self, worker: WorkerId, number: int) -> None:
        """Let the next job that comes alone be handed to the worker, if it may take it.

        Then it is running, with this worker's first claim on it, as soon as it is kept. The news of
        it name the number; like any ring they may get lost, so look whether it still `stands_by`.
        """
        ...

    async def stand_down(self, worker: WorkerId) -> bool:
        """Undo `stand_by`; false if it was handed a job meanwhile, or did not stand by."""
        ...

    async def stands_by(self, worker: WorkerId) -> bool:
        """Whether the worker stands by, and so was handed nothing since it began to."""
        ...

    async def leave(self, node: NodeId) -> None:
        """Forget the node and its workers."""
        ...

    async def promote(self, limit: int) -> Promotion:
        """Make due scheduled jobs pending; never one that is not due."""
        ...

    async def reclaim(self, decide: Decide, limit: int, gone: Gone = NOBODY_GONE) -> Reclaimed:
        """Settle, as `decide` says, running jobs whose worker or node is gone, or has ended.

        In one transaction, so that nobody else can take them in between.
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

    async def run_now(self, ids: Sequence[JobId]) -> list[JobId]:
        """Put jobs for later in line at once; answer with those that were."""
        ...

    async def link(self, job: JobId, old: JobId) -> None:
        """Remember that a job, which is enqueued next, replays an old one."""
        ...

    async def links(self, job_id: JobId) -> Links:
        """The job that this one replays, and those that replay it."""
        ...

    async def delete(self, ids: Sequence[JobId]) -> list[JobId]:
        """Forget finished jobs and their keys; answer with the jobs forgotten."""
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
