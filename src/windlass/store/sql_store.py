"""Every operation of the store, written once for both databases."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import fields
from datetime import timedelta
from typing import Any

from windlass.clock import Clock
from windlass.core.claim import Claim
from windlass.core.errors import AlreadyKept, RolledBack, StoreAway
from windlass.core.herald import Herald
from windlass.core.job import FINISHED, JobId, NewJob, NodeId, State, WorkerId
from windlass.core.settle import Settlement
from windlass.store import rows
from windlass.store.base import Database
from windlass.store.enqueue import enqueue_script, insert, lone, plain
from windlass.store.records import (
    LOWEST_RANK,
    Ask,
    Claimed,
    Decide,
    Demand,
    Enqueued,
    Kept,
    LogLine,
    NodeRecord,
    Progress,
    Promotion,
    Reclaimed,
    Standing,
    TypeRecord,
    WorkerRecord,
)
from windlass.store.script import Script, Statement
from windlass.store.settling import finish, returned, standing_of, worked
from windlass.store.sql_bulk import SqlBulk
from windlass.store.sql_by_hand import NO_ID, SqlByHand
from windlass.store.sql_locking import SqlLocking
from windlass.store.sql_reader import SqlReader
from windlass.store.sql_trends import SqlTrends

MICROSECOND = timedelta(microseconds=1)

# Larger statements gain nothing and hold their locks longer.
CHUNK = 5_000
# From this many named queues on, one walk along the lane is cheaper than one look per queue.
MANY_QUEUES = 50
# Rollups: finer grain, age at which it is folded, coarser grain; all in seconds.
FOLDS = ((0, 60, 10), (10, 3600, 60), (60, 86_400, 3600))
RESENDS = 3
# How often what the database undid is sent again; the next time others are elsewhere.
ROUNDS = 5
# Whoever has not tried again after so many others have failed will not.
MOST_IN_DOUBT = 100_000
# How long an enqueue waits for a key in a stranger's open transaction before it answers `Busy`.
KEY_PATIENCE = "2s"
# What is told of a type of job; the rest of its record is the store's own.
PUBLISHED = tuple(one.name for one in fields(TypeRecord))[:-2]


class SqlStore(SqlReader, SqlByHand, SqlBulk, SqlTrends, SqlLocking):
    """Keeps jobs in a database; see `Store` for what each verb promises."""

    def __init__(self, database: Database, clock: Clock) -> None:
        """Speak to `database`; `clock` only measures how long ago something happened."""
        super().__init__(database, clock)
        # Jobs whose enqueue ended without an answer: whoever tries again sends them again.
        self._in_doubt: dict[JobId, None] = {}

    # --- enqueue ----------------------------------------------------------------------------------

    async def enqueue(self, jobs: Sequence[NewJob], herald: Herald | None = None) -> list[Enqueued]:
        """Keep the jobs, all or none."""
        if not jobs:
            return []
        if self._in_doubt and any(job.id in self._in_doubt for job in jobs):
            return await self._send_again(jobs)
        try:
            return await self._send(jobs, herald)
        except AlreadyKept:
            pass
        except StoreAway as away:
            if not away.ambiguous:
                raise
        return await self._send_again(jobs)

    async def _send(self, jobs: Sequence[NewJob], herald: Herald | None) -> list[Enqueued]:
        if len(jobs) > CHUNK or not all(map(plain, jobs)):
            return await self._enqueue(jobs)
        if len(jobs) > 1:
            await self.database.write(insert(jobs))
        else:
            await self.database.write(lone(jobs[0], herald))
            if herald is not None:
                herald.sent = True
        return [Enqueued(job.id, State.PENDING) for job in jobs]

    async def _send_again(self, jobs: Sequence[NewJob]) -> list[Enqueued]:
        """Send what may have been committed; if that stays unknown, so does the next sending."""
        self._doubt(jobs)
        for resend in range(RESENDS):
            try:
                answers = await self._enqueue(jobs, again=True)
            except StoreAway:
                if resend == RESENDS - 1:
                    raise
                continue
            for job in jobs:
                self._in_doubt.pop(job.id, None)
            return answers
        raise AssertionError

    async def _enqueue(self, jobs: Sequence[NewJob], *, again: bool = False) -> list[Enqueued]:
        """Keep them in one transaction; in another one if that was undone in favour of others."""
        for _ in range(ROUNDS):
            with suppress(RolledBack):
                return await self.database.run(_enqueue_all(jobs, again=again))
        raise RolledBack("the database kept rolling this back in favour of others; try again")

    def _doubt(self, jobs: Sequence[NewJob]) -> None:
        self._in_doubt |= dict.fromkeys(job.id for job in jobs)
        while len(self._in_doubt) > MOST_IN_DOUBT:
            del self._in_doubt[next(iter(self._in_doubt))]

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
        for worker, theirs in _by_worker(settlements).items():
            refused += await self._settle(worker, theirs)
        return refused

    async def _settle(self, worker: WorkerId, batch: list[Settlement]) -> list[Settlement]:
        now = self.clock.monotonic()
        done, alive = _parted(batch)
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

    # --- the fleet --------------------------------------------------------------------------------

    async def join(self, node: NodeRecord, lease: timedelta) -> None:
        """Make the node known and grant its first lease."""
        await self._write(
            "join",
            id=node.id,
            host=node.host,
            pid=node.pid,
            version=node.version,
            lease_us=lease // MICROSECOND,
        )

    async def enlist(self, worker: WorkerRecord) -> None:
        """Make the worker known."""
        await self._write(
            "enlist",
            id=worker.id,
            node=worker.node,
            pid=worker.pid,
            slots=worker.slots,
            threads=worker.threads,
            alone=worker.alone,
            types=list(worker.types),
            queues=None if worker.queues is None else list(worker.queues),
        )

    async def teach(self, worker: WorkerId, types: Sequence[str]) -> None:
        """Let the fleet know which types of job the worker takes from now on."""
        await self._write("teach", worker=worker, types=list(types))

    async def publish(self, types: Sequence[TypeRecord]) -> None:
        """Make types of job known."""
        if types:
            said = [tuple(getattr(one, name) for name in PUBLISHED) for one in types]
            await self.database.write(Statement("publish", columns=PUBLISHED, rows=said))

    async def renew(self, node: NodeId, lease: timedelta) -> Standing:
        """Extend the lease."""
        found = await self._write("renew", node=node, lease_us=lease // MICROSECOND)
        if not found:
            return Standing(known=False)
        return Standing(
            known=True,
            now_us=found[0]["now_us"],
            aging_us=found[0]["aging_us"],
            widest=found[0]["widest"],
            suspects=found[0]["suspects"],
            draining=tuple(map(WorkerId, rows.names(found[0]["draining"]))),
        )

    async def asked(self, node: NodeId) -> list[Ask]:
        """The running jobs of this node's workers that somebody asked to cancel."""
        return [Ask(*row) for row in await self._read("asked", node=node)]

    async def dismiss(self, workers: Sequence[WorkerId]) -> None:
        """Mark workers ended."""
        await self._write("dismiss", ids=list(workers))

    async def leave(self, node: NodeId) -> None:
        """Forget the node and its workers."""
        await self._write("leave", node=node)

    async def identity(self) -> str:
        """What tells this store from every other."""
        [row] = await self._read("identity")
        return str(row["identity"])

    # --- upkeep -----------------------------------------------------------------------------------

    async def promote(self, limit: int) -> Promotion:
        """Make due scheduled jobs pending."""
        [row] = await self._write("promote", limit=limit)
        count = row["promoted"]
        next_in = 0.0 if count == limit else row["next_in"]
        return Promotion(count, rows.names(row["queues"]), next_in, wide=bool(row["wide"]))

    async def reclaim(self, decide: Decide, limit: int, *, lapsed: bool) -> Reclaimed:
        """Settle running jobs that nobody runs any more, as `decide` says."""
        look = Statement("orphans", {"limit": limit, "lapsed": lapsed})
        return await self.database.run(self._reclaim(decide, look))

    def _reclaim(self, decide: Decide, look: Statement) -> Script[Reclaimed]:
        orphans = [rows.orphan(row) for row in (yield look)]
        decided = [decide(one) for one in orphans]
        # The fence grows even for a job that ends here: its old worker must not think it was heard.
        batch = [one._replace(fence_after=one.fence + 1) for one in decided]
        now = self.clock.monotonic()
        for worker, theirs in _by_worker(batch).items():
            done, alive = _parted(theirs)
            if done:
                yield finish(worker, done, now)
            if alive:
                yield returned(worker, alive, now)
        return Reclaimed(len(batch), sorted({one.claim.queue for one in orphans}))

    async def park(self, limit: int) -> int:
        """Move jobs that nobody may take out of the way."""
        return len(await self._write("park", limit=limit))

    async def unpark(self, limit: int) -> int:
        """Move parked jobs that somebody may take now back in line, all of them, in chunks."""
        rank, after, moved = LOWEST_RANK, NO_ID, 0
        while found := await self._write("unpark", rank=rank, id=after, limit=limit):
            rank, after = found[0]["rank"], found[0]["id"]
            moved += found[0]["moved"]
            if found[0]["looked"] < limit:
                break
        return moved

    async def fold(self, limit: int) -> int:
        """Merge old rollups into coarser ones."""
        folded = 0
        for finer, age, grain in FOLDS:
            answer = await self._write(
                "fold", finer=finer, age_us=age * 1_000_000, grain=grain, limit=limit
            )
            folded += answer[0]["folded"]
        return folded

    async def prune(self, retention: timedelta, limit: int) -> int:
        """Delete jobs finished longer ago than `retention`, and all that was kept with them."""
        retention_us = retention // MICROSECOND
        await self._write("prune_open")
        for row in await self._read("prune_days", retention_us=retention_us):
            await self.database.run(_drop_day(row["day"]))
        await self._write("prune_keys", limit=limit)
        await self._write("prune_workers")
        await self._write("prune_nodes")
        await self._write("prune_types")
        await self._write("prune_locks")
        await self._write("prune_replays", retention_us=retention_us)
        found = await self._read("prune_old", retention_us=retention_us, limit=limit)
        old = [JobId(row["id"]) for row in found]
        # Their keys hold for as long as was said, though nobody can look at the jobs any more.
        return len(await self._write("delete", ids=old, with_keys=False)) if old else 0

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
    los, his = zip(*demand.ranges, strict=True)
    args |= {"los": los, "his": his}
    if queues is None:
        return Statement("claim", args)
    return Statement("claim_many_queues", {**args, "queues": list(queues)})


def _place_in_line(claim: Claim) -> tuple[int, JobId]:
    return claim.rank, claim.id


def _by_worker(settlements: Iterable[Settlement]) -> dict[WorkerId, list[Settlement]]:
    """Settlements by worker, each in the order of their ids, so that two batches never lock up."""
    groups: dict[WorkerId, list[Settlement]] = defaultdict(list)
    for one in sorted(settlements, key=_id_first):
        groups[one.worker].append(one)
    return groups


def _parted(batch: list[Settlement]) -> tuple[list[Settlement], list[Settlement]]:
    """Those that end their job, and those after which it goes on living."""
    done = [one for one in batch if one.state in FINISHED]
    if len(done) == len(batch):
        return done, []
    return done, [one for one in batch if one.state not in FINISHED]


def _id_first(settlement: Settlement) -> JobId:
    return settlement.id


def _drop_day(day: str) -> Script[None]:
    yield Statement("prune_tally", {"day": day})
    yield Statement("prune_drop", {"day": day})
