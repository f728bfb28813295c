"""The store in a database: a job from enqueue to settlement; its other verbs stand beside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import repeat
from operator import attrgetter
from typing import Any

from windlass.clock import Clock
from windlass.core.claim import Claim
from windlass.core.errors import AlreadyKept, RolledBack, StoreAway
from windlass.core.herald import Herald
from windlass.core.job import JobId, Lane, NewJob, State, WorkerId
from windlass.core.settle import Settlement
from windlass.store import rows
from windlass.store.base import Database
from windlass.store.enqueue import enqueue_script, handed, in_one, lone, plain
from windlass.store.records import Claimed, Demand, Enqueued, Kept, LogLine, Progress
from windlass.store.script import Script, Statement
from windlass.store.settling import by_worker, finish, parted, returned, standing_of, worked
from windlass.store.sql_bulk import SqlBulk
from windlass.store.sql_by_hand import SqlByHand
from windlass.store.sql_fleet import SqlFleet
from windlass.store.sql_locking import SqlLocking
from windlass.store.sql_reader import SqlReader
from windlass.store.sql_trends import SqlTrends
from windlass.store.sql_upkeep import SqlUpkeep

# Larger statements gain nothing and hold their locks longer.
CHUNK = 5_000
# From this many named queues on, one walk along the lane is cheaper than one look per queue.
MANY_QUEUES = 50
RESENDS = 3
# How often what the database undid is sent again; the next time others are elsewhere.
ROUNDS = 5
# Whoever has not tried again after so many others have failed will not.
MOST_IN_DOUBT = 100_000
# How long an enqueue waits for a key in a stranger's open transaction before it answers `Busy`.
KEY_PATIENCE = "2s"

_id = attrgetter("id")


class SqlStore(SqlReader, SqlFleet, SqlUpkeep, SqlByHand, SqlBulk, SqlTrends, SqlLocking):
    """Keeps jobs in a database; see `Store` for what each verb promises."""

    def __init__(self, database: Database, clock: Clock) -> None:
        """Speak to `database`; `clock` only measures how long ago something happened."""
        super().__init__(database, clock)
        # Jobs whose enqueue ended without an answer: whoever tries again sends them again.
        self._in_doubt: dict[JobId, object] = {}

    # --- enqueue ----------------------------------------------------------------------------------

    async def enqueue(self, jobs: Sequence[NewJob], herald: Herald | None = None) -> list[Enqueued]:
        """Keep the jobs, all or none."""
        if not jobs:
            return []
        if self._in_doubt and any(job.id in self._in_doubt for job in jobs):
            return await self._send_again(jobs)
        try:
            return await self._send(jobs, herald)
        except (AlreadyKept, StoreAway) as problem:
            if not _perhaps_kept(problem):
                raise
        return await self._send_again(jobs)

    def doubt(self, jobs: Sequence[NewJob]) -> None:
        """Take note that nobody knows whether these were kept, should they be sent again."""
        self._doubt(jobs)

    def enqueue_by(self, keep: Callable[[Statement], bool], job: NewJob) -> bool:
        """Keep a plain job by who needs no event loop; if it answers False, `enqueue` is to."""
        if job.id in self._in_doubt:
            return False
        try:
            return keep(lone(job))
        except (AlreadyKept, StoreAway) as problem:
            if not _perhaps_kept(problem):
                raise
            self._doubt([job])
            return False

    async def _send(self, jobs: Sequence[NewJob], herald: Herald | None) -> list[Enqueued]:
        if len(jobs) == 1 and plain(jobs[0]):
            await self._send_one(jobs[0], herald)
        elif len(jobs) <= CHUNK and (statement := in_one(jobs)):
            await self.database.write(statement)
        else:
            return await self._enqueue(jobs)
        return list(map(Enqueued, map(_id, jobs), repeat(State.PENDING)))

    async def _send_one(self, job: NewJob, herald: Herald | None) -> None:
        if herald is None:
            await self.database.write(lone(job))
        elif handing := handed(job, herald):
            [answer] = await self.database.write(handing)
            herald.sent, herald.news = bool(answer["sent"]), answer["news"]
        else:
            await self.database.write(lone(job, herald))
            herald.sent = herald.channel is not None

    async def _send_again(self, jobs: Sequence[NewJob]) -> list[Enqueued]:
        """Send what may have been committed; if that stays unknown, so does the next sending."""
        ours = self._doubt(jobs)
        answers = await self._resend(jobs)
        for job in jobs:
            # Somebody may have given up on the same meanwhile, and not know of this answer.
            if self._in_doubt.get(job.id) is ours:
                del self._in_doubt[job.id]
        return answers

    async def _resend(self, jobs: Sequence[NewJob]) -> list[Enqueued]:
        for _ in range(RESENDS - 1):
            with suppress(StoreAway):
                return await self._enqueue(jobs, again=True)
        return await self._enqueue(jobs, again=True)

    async def _enqueue(self, jobs: Sequence[NewJob], *, again: bool = False) -> list[Enqueued]:
        """Keep them in one transaction; in another one if that was undone in favour of others."""
        for _ in range(ROUNDS):
            with suppress(RolledBack):
                return await self.database.run(_enqueue_all(jobs, again=again))
        raise RolledBack("the database kept rolling this back in favour of others; try again")

    def _doubt(self, jobs: Sequence[NewJob]) -> object:
        """Doubt them, and answer with what tells this doubt from others."""
        ours = object()
        self._in_doubt |= dict.fromkeys((job.id for job in jobs), ours)
        while len(self._in_doubt) > MOST_IN_DOUBT:
            del self._in_doubt[next(iter(self._in_doubt))]
        return ours

    # --- the life of an attempt -------------------------------------------------------------------

    async def claim(self, demand: Demand) -> Claimed:
        """Take up to `limit` pending jobs, best first."""
        found = await self.database.write(_claim(demand))
        if not found:
            return Claimed([], 0)
        claims = rows.claims(found, demand.worker)
        claims.sort(key=_place_in_line)
        return Claimed(claims, found[0][rows.CLAIM_COLUMNS])

    async def settle(self, settlements: Sequence[Settlement]) -> list[Settlement]:
        """End attempts; answer with those refused."""
        refused: list[Settlement] = []
        for worker, theirs in by_worker(settlements).items():
            refused += await self._settle(worker, theirs)
        return refused

    async def _settle(self, worker: WorkerId, batch: list[Settlement]) -> list[Settlement]:
        now = self.clock.monotonic()
        done, alive = parted(batch)
        doubtful: list[Settlement] = []
        if done:
            doubtful += await self._finish(worker, done, now)
        if alive:
            answer = await self.database.write(returned(worker, alive, now))
            doubtful += [] if answer[0][0] == len(alive) else alive
        return await self._resolve(doubtful) if doubtful else []

    async def _finish(
        self, worker: WorkerId, done: list[Settlement], now: float
    ) -> list[Settlement]:
        """Move jobs to history; answer with all of them if not each was moved."""
        quick = all(one.state is State.COMPLETED for one in done)
        try:
            statement = (worked if quick else finish)(worker, done, now)
            answer = await self.database.write(statement)
        except AlreadyKept:  # an id that was used twice; the long form lets the old job stand
            answer = await self.database.write(finish(worker, done, now))
        return [] if answer[0][0] == len(done) else done

    async def _resolve(self, doubtful: list[Settlement]) -> list[Settlement]:
        """Tell what was applied from what is stale, and send again what is neither."""
        found = await self.database.read(
            Statement("settle_check", {"ids": [one.id for one in doubtful]})
        )
        stands = {row["id"]: row for row in found}
        refused: list[Settlement] = []
        for one in doubtful:
            again = standing_of(one, stands.get(one.id))
            if again is None:
                continue
            refused += [one] if again is one else await self._settle(one.worker, [again])
        return refused

    async def held(self, worker: WorkerId) -> list[Claim]:
        """The claims the store believes this worker holds."""
        return rows.claims(await self._read("held", worker=worker), worker)

    # --- what handlers say and keep ---------------------------------------------------------------

    async def note(self, progress: Sequence[Progress], lines: Sequence[LogLine]) -> None:
        """Keep progress and log lines of attempts whose claim is still good."""
        if progress:
            said = [(one.job, one.fence, one.fraction, one.message) for one in progress]
            columns: tuple[str, ...] = ("job", "fence", "fraction", "message")
            await self.database.write(Statement("note_progress", columns=columns, rows=said))
        if lines:
            logged = [(one.job, one.fence, one.number, one.level, one.message) for one in lines]
            columns = ("job", "fence", "number", "level", "message")
            await self.database.write(Statement("note_lines", columns=columns, rows=logged))

    async def keep(self, job_id: JobId, fence: int, kept: Kept) -> None:
        """Keep a file with its job while the claim is good."""
        await self._write(
            "keep",
            id=job_id,
            fence=fence,
            name=kept.name,
            media_type=kept.media_type,
            content=kept.content,
        )

    async def close(self) -> None:
        """Let go of the database."""
        await self.database.close()


def _perhaps_kept(problem: AlreadyKept | StoreAway) -> bool:
    return isinstance(problem, AlreadyKept) or problem.ambiguous


def _enqueue_all(jobs: Sequence[NewJob], *, again: bool = False) -> Script[list[Enqueued]]:
    answers: list[Enqueued] = []
    if any(job.key is not None for job in jobs):
        yield Statement("keys_patience", {"patience": KEY_PATIENCE})
    for start in range(0, len(jobs), CHUNK):
        answers += yield from enqueue_script(jobs[start : start + CHUNK], again=again)
    return answers


def _claim(demand: Demand) -> Statement:
    args: dict[str, Any] = {
        "node": demand.node,
        "worker": demand.worker,
        "lane": demand.lane.value,
        "limit": demand.limit,
        "types": list(demand.types),
        "free_threads": demand.free_threads,
        "widest": demand.widest,
    }
    queues = demand.queues
    if queues is not None and len(queues) <= MANY_QUEUES:
        deep = min(max(2000 // len(queues), 8), 200)
        return Statement("claim_queues", {**args, "queues": list(queues), "deep": deep})
    # As text, for which asyncpg needs to know nothing: what bigint[] is, it would ask the server on
    # each new connection, in six trips, and meanwhile jobs wait for their first claim.
    los, his = zip(*demand.ranges, strict=True)
    args |= {"los": list(map(str, los)), "his": list(map(str, his))}
    if queues is None:
        return Statement("claim_open" if demand.lane is Lane.OPEN else "claim", args)
    return Statement("claim_many_queues", {**args, "queues": list(queues)})


def _place_in_line(claim: Claim) -> tuple[int, JobId]:
    return claim.rank, claim.id
