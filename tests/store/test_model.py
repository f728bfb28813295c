# ruff: noqa: D102 — the names of what is asked are those of the store
"""The store against a model of it that fits on a page: whatever is asked in whatever order."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple, TypeAlias, TypeVar

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.store.yard import BACKOFF, LEASE, OwnClock, PostgresClock, Yard
from windlass.clock import SystemChance
from windlass.core.claim import Claim
from windlass.core.errors import KeyTaken
from windlass.core.job import FINISHED, JobId, Lane, NewJob, State, WorkerId
from windlass.core.outcome import (
    Cancelled,
    Crashed,
    Done,
    Ending,
    Failed,
    HandedBack,
    Snoozed,
)
from windlass.core.search import JobFilter
from windlass.core.settle import Settlement, settle
from windlass.store import migrate
from windlass.store.base import Database
from windlass.store.enqueue import enqueue_script
from windlass.store.migrate_sqlite import SqliteMigrator
from windlass.store.postgres import PostgresDatabase
from windlass.store.records import Kept, Progress
from windlass.store.sql_store import SqlStore
from windlass.store.sqlite import SqliteDatabase

T = TypeVar("T")
Draw: TypeAlias = Callable[[Any], Any]

AGINGS = (timedelta(seconds=60), timedelta(seconds=60), timedelta(seconds=1), timedelta(0))
QUEUES = ("a", "b")
KEYS = ("one", "other")
KEY_WINDOW = timedelta(seconds=5)
ENDINGS: list[Ending] = [
    *[Done("1")] * 4,
    Failed("no"),
    Failed("never", final=True),
    Snoozed(5.0),
    Cancelled(),
    HandedBack(),
    Crashed(alone=False),
    Crashed(alone=True),
]


@dataclass
class Modelled:
    """A job as it should be."""

    id: JobId
    queue: str
    priority: int
    run_at: int
    rank: int
    state: State
    lane: Lane = Lane.OPEN
    fence: int = 0
    attempts: int = 0
    failures: int = 0
    crashes: int = 0
    worker: WorkerId | None = None
    asked: bool = False

    @property
    def seen(self) -> tuple[Any, ...]:
        """What the store must say of it."""
        lane = None if self.state in FINISHED else self.lane
        counts = (self.attempts, self.failures, self.crashes)
        return (self.id, self.state, lane, self.fence, *counts, self.worker, self.asked)


class Held(NamedTuple):
    """Who has a key, for what, and until when at least."""

    job: JobId
    asked: tuple[str, str]
    until: int


class Comparison:
    """Asks the store and the model the same; `draw` chooses."""

    def __init__(self, url: str | None, draw: Draw) -> None:
        """PostgreSQL where `url` says, else SQLite in memory."""
        self.draw = draw
        self.runner = asyncio.Runner()
        self.clock: OwnClock = PostgresClock(url) if url else OwnClock()
        self.store = SqlStore(self.open(url), self.clock)
        self.yard = Yard(self.store, self.clock)
        self.jobs: dict[JobId, Modelled] = {}
        self.sent: dict[JobId, NewJob] = {}
        self.claims: list[Claim] = []
        self.keys: dict[str, Held] = {}
        self.aging_us = 60_000_000
        self.paused: set[str] = set()
        self.ended: set[WorkerId] = set()
        self.node = self.run(self.yard.node())
        self.lease_until = self.now + LEASE // timedelta(microseconds=1)
        self.workers = [self.run(self.yard.worker(node=self.node)) for _ in range(2)]

    def open(self, url: str | None) -> Database:
        if url:
            return PostgresDatabase(url, connections=1)
        database = SqliteDatabase(":memory:", clock=self.clock, chance=SystemChance(), inline=True)
        self.run(migrate.up(SqliteMigrator(database)))
        return database

    def close(self) -> None:
        self.run(self.store.close())
        if isinstance(self.clock, PostgresClock):
            self.clock.close()
        self.runner.close()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(coroutine)

    @property
    def now(self) -> int:
        return self.clock.now_us()

    def some_jobs(self) -> list[JobId]:
        if not self.jobs:
            return []
        ids = st.sampled_from(sorted(self.jobs))
        some: list[JobId] = self.draw(st.lists(ids, max_size=3, unique=True))
        return some

    def one_of(self, values: Sequence[T]) -> T:
        value: T = self.draw(st.sampled_from(values))
        return value

    # --- what callers do --------------------------------------------------------------------------

    def enqueue(self) -> None:
        queue, priority = self.one_of(QUEUES), self.one_of([0, 0, 1, -2])
        delay = self.one_of([None, None, 0, 1, 7])
        new = [
            self.yard.new(
                queue=queue,
                priority=priority,
                delay=None if delay is None else timedelta(seconds=delay),
                max_attempts=self.one_of([1, 2]),
            )
            for _ in range(self.one_of([1, 2]))
        ]

        answers = self.run(self.store.enqueue(new))

        due = self.now + (delay or 0) * 1_000_000
        state = State.SCHEDULED if delay else State.PENDING
        assert [(one.id, one.state) for one in answers] == [(job.id, state) for job in new]
        for job in new:
            rank = due - priority * self.aging_us
            self.jobs[job.id] = Modelled(job.id, queue, priority, due, rank, state)
            self.sent[job.id] = job

    def send_again(self) -> None:
        some = [self.sent[job_id] for job_id in self.some_jobs() if not self.sent[job_id].key]

        self.run(self.store.database.run(enqueue_script(some, again=True)))

    def enqueue_by_key(self) -> None:
        """Ask for a job under a key that is free, or held for the same, or for something else."""
        key, queue, payload = self.one_of(KEYS), self.one_of(QUEUES), self.one_of(["{}", "[1]"])
        new = self.yard.new(queue=queue, payload=payload, key=key, key_window=KEY_WINDOW)
        held = self.keys.get(key)
        live = held and held.job in self.jobs and self.jobs[held.job].state not in FINISHED
        if held and (live or held.until > self.now):
            self.find_held(new, held, (queue, payload))
            return

        [answer] = self.run(self.store.enqueue([new]))

        assert (answer.id, answer.state, answer.existing) == (new.id, State.PENDING, False)
        due, self.sent[new.id] = self.now, new
        self.jobs[new.id] = Modelled(new.id, queue, 0, due, due, State.PENDING)
        until = due + KEY_WINDOW // timedelta(microseconds=1)
        self.keys[key] = Held(new.id, (queue, payload), until)

    def find_held(self, new: NewJob, held: Held, asked: tuple[str, str]) -> None:
        """The key answers with its job, or refuses what is not the same request."""
        if asked != held.asked:
            with pytest.raises(KeyTaken):
                self.run(self.store.enqueue([new]))
            return
        [answer] = self.run(self.store.enqueue([new]))
        assert (answer.id, answer.existing) == (held.job, True)
        if held.job in self.jobs:
            assert answer.state is self.jobs[held.job].state

    def change_aging(self) -> None:
        """Let waiting be worth more or less, also for those that wait."""
        aging = self.one_of(AGINGS)
        self.run(self.store.set_aging(aging))
        last = self.run(self.store.rerank(None, 3))
        while last is not None:
            last = self.run(self.store.rerank(last, 3))
        self.aging_us = aging // timedelta(microseconds=1)
        for job in self.jobs.values():
            if job.state in {State.PENDING, State.SCHEDULED}:
                job.rank = job.run_at - job.priority * self.aging_us

    def restart(self) -> None:
        """Go on as a process that knows only what is stored."""
        self.store = self.yard.store = SqlStore(self.store.database, self.clock)

    def cancel(self) -> None:
        some = self.some_jobs()

        live = self.run(self.store.cancel(some))

        running = [one for one in some if self.jobs[one].state is State.RUNNING]
        assert sorted(live) == sorted(running)
        for job in map(self.jobs.__getitem__, some):
            if job.state is State.RUNNING:
                job.asked = True
            elif job.state not in FINISHED:
                job.state = State.CANCELLED

    def retry(self) -> None:
        some = self.some_jobs()

        retried = self.run(self.store.retry(some))

        able = [one for one in some if self.jobs[one].state in {State.FAILED, State.CANCELLED}]
        assert sorted(retried) == sorted(able)
        for job in map(self.jobs.__getitem__, able):
            self.wait_again(job, job.fence + 1)
            job.failures = job.crashes = 0

    def delete(self) -> None:
        some = self.some_jobs()

        deleted = self.run(self.store.delete(some))

        able = [one for one in some if self.jobs[one].state in FINISHED]
        assert sorted(deleted) == sorted(able)
        for job_id in able:
            del self.jobs[job_id]

    def pause(self) -> None:
        queue = self.one_of(QUEUES)
        self.run(self.store.pause(queue, by="ada"))
        self.paused.add(queue)

    def resume(self) -> None:
        for queue in QUEUES:
            self.run(self.store.resume(queue))
        self.paused.clear()

    # --- what workers do --------------------------------------------------------------------------

    def claim(self) -> None:
        lane, limit = self.one_of([Lane.OPEN, Lane.OPEN, Lane.ALONE]), self.one_of([1, 4])
        queues = self.one_of([None, None, ("a",), ("a", "b")])
        worker = self.workers[self.one_of([0, 0, 0, 1])]

        claims = self.run(self.yard.claim(worker, limit, lane=lane, queues=queues))

        line = [
            job
            for job in self.jobs.values()
            if job.state is State.PENDING
            and job.lane is lane
            and job.queue not in self.paused
            and job.queue in (queues or QUEUES)
            and self.lease_until > self.now
        ]
        best = sorted(line, key=lambda job: (job.rank, job.id))[:limit]
        assert [claim.id for claim in claims] == [job.id for job in best]
        for job in best:
            job.state, job.worker, job.fence = State.RUNNING, worker.id, job.fence + 1
        assert [claim.fence for claim in claims] == [job.fence for job in best]
        self.claims += claims

    def settle(self) -> None:
        """End attempts, also ones that were ended or lost long ago."""
        if self.claims:
            claims = st.sampled_from(self.claims[-8:])
            self.settle_these(self.draw(st.lists(claims, min_size=1, max_size=3)))

    def settle_stale(self) -> None:
        """End an attempt of a job that runs on under another claim, perhaps of the same worker."""
        stale = [
            claim
            for claim in self.claims
            if (job := self.jobs.get(claim.id))
            and job.state is State.RUNNING
            and job.fence != claim.fence
        ]
        if stale:
            self.settle_these([self.one_of(stale)])

    def say(self) -> None:
        """Tell how far an attempt is, and keep a file; only of a good claim it is kept."""
        if not self.claims:
            return
        claim = self.one_of(self.claims[-8:])
        told, content = self.one_of([0.25, 0.5, 0.75]), self.draw(st.binary(max_size=2))
        before = self.said(claim.id)
        self.clock.advance(0.001)  # of what is said at once, nobody knows what came last

        progress = Progress(job=claim.id, fence=claim.fence, fraction=told)
        file = Kept(name="file", media_type="text/plain", content=content)
        self.run(self.store.note([progress], []))
        self.run(self.store.keep(claim.id, claim.fence, file))

        good = self.is_good(claim)
        assert self.said(claim.id) == ((claim.fence, told, content) if good else before)

    def said(self, job_id: JobId) -> tuple[Any, ...]:
        progress = self.run(self.store.progress(job_id))
        kept = self.run(self.store.kept(job_id, "file"))
        latest = (progress.fence, progress.fraction) if progress else (None, None)
        return (*latest, kept.content if kept else None)

    def hand_back(self) -> None:
        """Give up whatever runs, so that it is claimed again."""
        held = [claim for claim in self.claims if self.is_good(claim)]
        refused = self.run(self.store.settle([self.yard.end(one, HandedBack()) for one in held]))

        assert refused == []
        for claim in held:
            self.apply(self.yard.end(claim, HandedBack()))

    def is_good(self, claim: Claim) -> bool:
        job = self.jobs.get(claim.id)
        return job is not None and (job.state, job.fence) == (State.RUNNING, claim.fence)

    def settle_these(self, chosen: list[Claim]) -> None:
        now = self.clock.monotonic()
        batch = {
            # A worker has one claim on a job at a time, so a batch has one settlement of it.
            claim.id: settle(
                claim, self.one_of(ENDINGS), backoff=BACKOFF, chance=0.0, started=now, ended=now
            )
            for claim in chosen
        }

        refused = self.run(self.store.settle(list(batch.values())))

        expected = [one for one in batch.values() if not self.apply(one)]
        assert sorted(refused) == sorted(expected)

    def apply(self, one: Settlement) -> bool:
        """End the attempt in the model; whether the store should have taken it."""
        job = self.jobs.get(one.id)
        if job is None:
            return False
        if job.state is not State.RUNNING:
            return job.fence == one.fence_after
        if (job.fence, job.worker) != (one.fence, one.worker):
            return False
        if job.asked and one.state not in FINISHED:
            one = one._replace(state=State.CANCELLED, fence_after=one.fence)
        self.end(job, one)
        return True

    def end(self, job: Modelled, one: Settlement) -> None:
        job.attempts, job.failures, job.crashes = one.attempts, one.failures, one.crashes
        job.asked = False
        if one.state in FINISHED:
            job.state, job.fence = one.state, one.fence_after
            return
        job.lane = one.lane
        place = job.rank
        self.wait_again(job, one.fence_after, one.lane, round(one.delay * 1_000_000))
        if one.reason in ("handed back", "crashed") and not one.delay:
            job.rank = place

    def wait_again(self, job: Modelled, fence: int, lane: Lane = Lane.OPEN, delay: int = 0) -> None:
        job.state = State.SCHEDULED if delay else State.PENDING
        job.lane, job.fence, job.worker = lane, fence, None
        job.run_at = self.now + delay
        job.rank = job.run_at - job.priority * self.aging_us

    # --- what time and upkeep do ------------------------------------------------------------------

    def pass_time(self) -> None:
        self.clock.advance(self.one_of([0.0005, 0.9995, 2.0, 16.0]))

    def renew(self) -> None:
        standing = self.run(self.store.renew(self.node, LEASE))

        assert standing.known
        self.lease_until = self.now + LEASE // timedelta(microseconds=1)

    def promote(self) -> None:
        promotion = self.run(self.store.promote(100))

        due = [job for job in self.jobs.values() if job.state is State.SCHEDULED]
        due = [job for job in due if job.run_at <= self.now]
        assert promotion.count == len(due)
        assert sorted(promotion.queues) == sorted({job.queue for job in due})
        for job in due:
            job.state = State.PENDING

    def dismiss(self) -> None:
        number = self.one_of([0, 1])
        worker = self.workers[number].id
        self.run(self.store.dismiss([worker]))
        self.ended.add(worker)
        self.workers[number] = self.run(self.yard.worker(node=self.node))

    def reclaim(self) -> None:
        lapsed = self.one_of([False, True])
        lost = [
            job
            for job in self.jobs.values()
            if job.state is State.RUNNING
            and (job.worker in self.ended or (lapsed and self.lease_until <= self.now))
        ]

        count = self.run(self.yard.reclaim(lapsed=lapsed))

        assert count == len(lost)
        for job in lost:
            if job.asked:
                job.state, job.fence, job.asked = State.CANCELLED, job.fence + 1, False
            else:
                self.wait_again(job, job.fence + 1, Lane.ALONE)

    def fold(self) -> None:
        self.run(self.store.fold(1_000))

    # --- what must hold ---------------------------------------------------------------------------

    def every_job_is_as_the_model_says(self) -> None:
        found = self.run(self.store.page(JobFilter(limit=1_000))).jobs

        seen = [
            (
                job.id,
                job.state,
                job.lane,
                job.fence,
                job.attempts,
                job.failures,
                job.crashes,
                job.worker,
                job.cancel_requested,
            )
            for job in found
        ]
        expected = sorted(self.jobs.values(), key=lambda job: job.id, reverse=True)
        assert seen == [job.seen for job in expected]

    def the_counts_are_exact(self) -> None:
        counts = self.run(self.store.counts())

        assert counts.states == {
            state: sum(job.state is state for job in self.jobs.values()) for state in State
        }

    def check(self) -> None:
        self.every_job_is_as_the_model_says()
        self.the_counts_are_exact()


# Most of a life is enqueue, claim and settle, so they come up most.
ACTIONS = [
    *["enqueue", "claim", "settle"] * 4,
    *["pass_time", "promote", "renew", "retry", "resume", "settle_stale", "hand_back"] * 2,
    *["send_again", "cancel", "delete", "pause", "dismiss", "reclaim", "fold"],
    *["enqueue_by_key", "enqueue_by_key", "say", "change_aging", "restart"],
]


def compare(url: str | None, data: st.DataObject) -> None:
    comparison = Comparison(url, data.draw)
    try:
        for action in data.draw(st.lists(st.sampled_from(ACTIONS), min_size=30, max_size=60)):
            getattr(comparison, action)()
            comparison.check()
    finally:
        comparison.close()


ENOUGH = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]


@pytest.mark.timeout(300)
@settings(deadline=None, max_examples=60, suppress_health_check=ENOUGH)
@given(data=st.data())
def test_sqlite_behaves_as_the_model(data: st.DataObject) -> None:
    compare(None, data)


@pytest.mark.timeout(300)
@settings(
    deadline=None,
    max_examples=12,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # shrinking takes minutes there
    suppress_health_check=[*ENOUGH, HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_postgres_behaves_as_the_model(shared_postgres_url: str, data: st.DataObject) -> None:
    compare(shared_postgres_url, data)
