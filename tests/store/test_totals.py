# ruff: noqa: D102 — the names of what is asked are those of the store
"""Totals only grow, and by what happened: whatever is retried, deleted, pruned or folded."""

import asyncio
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.store.test_model import ACTIONS, ENOUGH, Comparison
from tests.store.yard import FAILED, Yard
from windlass.core.census import RETRIED, REVIVED, Line
from windlass.core.job import FINISHED, JobId, Lane, State
from windlass.core.outcome import Cancelled, Crashed, Done, HandedBack, Snoozed
from windlass.store.records import Progress
from windlass.store.script import Rows, Statement
from windlass.store.sql_store import SqlStore
from windlass.store.totals import Glance

DAY = timedelta(days=1)


async def ended(store: SqlStore) -> dict[str, int]:
    """Every total, over all queues and types."""
    sums: Counter[str] = Counter()
    for total in await store.totals():
        sums[total.state] += total.ended
    return dict(sums)


async def line(store: SqlStore) -> Line:
    """The one line of the census."""
    [only] = (await store.census()).lines
    return only


async def test_every_end_is_counted_by_queue_and_type(yard: Yard, store: SqlStore) -> None:
    await yard.finished(Done())
    await yard.finished(Done(), queue="slow")
    await yard.finished(FAILED, type="report")
    await yard.finished(Cancelled())
    [waiting] = await yard.enqueue()
    await store.cancel([waiting])

    totals = {(one.queue, one.type, one.state): one.ended for one in await store.totals()}

    assert totals == {
        ("default", "mail", State.COMPLETED): 1,
        ("slow", "mail", State.COMPLETED): 1,
        ("default", "report", State.FAILED): 1,
        ("default", "mail", State.CANCELLED): 2,
    }


async def test_the_time_that_attempts_took_is_told_too(yard: Yard, store: SqlStore) -> None:
    _, claim = await yard.running()
    yard.clock.advance(5)
    await store.settle([yard.end(claim, Done(), ran=2.0)])

    [before] = await store.totals()
    yard.clock.advance(120)
    await store.fold(100)

    assert (before.waited_us, before.ran_us) == (3_000_000, 2_000_000)
    assert await store.totals() == [before]


async def test_an_attempt_that_fails_and_runs_again_was_retried(
    yard: Yard, store: SqlStore
) -> None:
    _, claim = await yard.running()
    await yard.settle(claim, FAILED)
    _, other = await yard.running(type="other")
    await yard.settle(other, Crashed(alone=True))

    assert await ended(store) == {RETRIED: 2}


@pytest.mark.parametrize("ending", [HandedBack(), Snoozed(5.0)])
async def test_an_attempt_that_did_not_fail_was_not_retried(
    yard: Yard, store: SqlStore, ending: HandedBack | Snoozed
) -> None:
    _, claim = await yard.running()

    await yard.settle(claim, ending)

    assert await ended(store) == {}


async def test_a_stale_settlement_counts_for_nothing(yard: Yard, store: SqlStore) -> None:
    _, claim = await yard.running()
    settlement = yard.end(claim, FAILED)
    await store.settle([settlement])

    await store.settle([settlement, settlement._replace(fence=5, fence_after=5)])

    assert await ended(store) == {RETRIED: 1}


async def test_what_is_gone_was_there_all_the_same(yard: Yard, store: SqlStore) -> None:
    deleted = await yard.finished(Done())
    revived = await yard.finished(FAILED)
    await store.delete([deleted])
    await store.retry([revived])

    before = await ended(store)
    yard.clock.advance(120)
    await store.fold(100)
    await store.prune(timedelta(0), 100)

    assert before == {State.COMPLETED: 1, State.FAILED: 1, REVIVED: 1}
    assert await ended(store) == before


async def test_a_whole_day_that_is_dropped_was_there_all_the_same(
    yard: Yard, store: SqlStore
) -> None:
    await yard.finished(Done())
    await yard.finished(FAILED)
    yard.clock.advance(3 * DAY.total_seconds())

    await store.prune(DAY, 100)
    await store.fold(100)

    assert await yard.counted() == {}
    assert await ended(store) == {State.COMPLETED: 1, State.FAILED: 1}


async def test_two_who_fold_at_once_lose_and_double_nothing(yard: Yard, store: SqlStore) -> None:
    for queue in ("a", "b", "c"):
        for _ in range(10):
            await yard.finished(Done(), queue=queue)
    yard.clock.advance(120)
    others = [SqlStore(store.database, yard.clock) for _ in range(4)]

    folded = await asyncio.gather(*(one.fold(7) for one in others for _ in range(3)))

    assert sum(folded) == 30
    assert await ended(store) == {State.COMPLETED: 30}
    assert await yard.counted() == {State.COMPLETED: 30}


async def test_the_census_tells_what_waits_and_what_was_submitted(
    yard: Yard, store: SqlStore
) -> None:
    await yard.finished(Done())
    await yard.running()
    yard.clock.advance(1)
    oldest = yard.clock.now_us()
    await yard.enqueue(2)
    yard.clock.advance(7)
    await yard.enqueue()
    await yard.enqueue(2, delay=timedelta(hours=1))

    assert await line(store) == Line("default", "mail", 7, 2, 3, 1, oldest)


async def test_nothing_is_submitted_twice_or_taken_back(yard: Yard, store: SqlStore) -> None:
    failed = await yard.finished(FAILED)
    gone = await yard.finished(Done())
    _, claim = await yard.running()
    await yard.settle(claim, FAILED)
    before = (await line(store)).submitted

    await store.retry([failed])
    await store.delete([gone])
    yard.clock.advance(120)
    await store.fold(100)

    assert before == 3
    assert (await line(store)).submitted == 3


async def test_everybody_is_told_the_same_census_for_a_second(yard: Yard, store: SqlStore) -> None:
    await yard.enqueue()
    first = await store.census()
    await yard.enqueue()

    again = await SqlStore(store.database, yard.clock).census()
    yard.clock.advance(1)
    later = await store.census()

    assert again == first
    assert [one.submitted for one in later.lines] == [2]


async def test_a_count_that_is_dear_is_made_rarely(
    yard: Yard, store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = store.database.survey

    async def slowly(statement: Statement) -> Rows:
        yard.clock.advance(0.5)
        return await survey(statement)

    monkeypatch.setattr(store.database, "survey", slowly)
    await yard.enqueue()
    first = await store.census()
    await yard.enqueue()

    yard.clock.advance(9.9)
    soon = await store.census()
    yard.clock.advance(0.2)
    late = await store.census()

    assert soon == first
    assert [one.pending for one in late.lines] == [2]


async def test_a_glance_tells_whether_a_job_has_changed(yard: Yard, store: SqlStore) -> None:
    finished = await yard.finished(Done())
    _, claim = await yard.running()
    await store.cancel([claim.id])
    gone = yard.id()

    seen = await store.glance([finished, claim.id, gone])

    assert sorted(seen) == [
        Glance(finished, State.COMPLETED, None, 1, cancel_requested=False),
        Glance(claim.id, State.RUNNING, Lane.OPEN, 1, cancel_requested=True),
    ]


async def test_a_glance_tells_how_far_the_running_attempt_has_come(
    yard: Yard, store: SqlStore
) -> None:
    _, claim = await yard.running()
    for fraction in (0.25, 0.5):
        said = Progress(job=claim.id, fence=claim.fence, fraction=fraction, message="on it")
        await store.note([said], [])
        yard.clock.advance(1)

    [running] = await store.glance([claim.id])
    await yard.settle(claim, Done())
    [finished] = await store.glance([claim.id])

    assert running.step is not None
    assert running.step[:2] == (0.5, "on it")
    assert finished.step is None


class Ledger(Comparison):
    """Writes down what the model does, and compares it with the totals."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.states: dict[JobId, State] = {}
        self.expected: Counter[str] = Counter()
        self.last: dict[tuple[str, str, str], int] = {}

    def tomorrow(self) -> None:
        self.clock.advance(DAY.total_seconds())

    def prune(self) -> None:
        """Prune everything; nodes without a lease are forgotten too, so begin with another."""
        old = [worker.id for worker in self.workers]
        self.run(self.store.dismiss(old))
        self.run(self.store.prune(timedelta(0), 100))
        left = {job.id for job in self.run(self.store.find(list(self.jobs)))} if self.jobs else []
        for job_id in set(self.jobs) - set(left):
            assert self.jobs.pop(job_id).state in FINISHED
        self.ended |= set(old)
        self.node = self.run(self.yard.node())
        self.workers = [self.run(self.yard.worker(node=self.node)) for _ in range(2)]
        self.renew()

    def check(self) -> None:
        self.write_down()
        self.totals_are_what_was_written_down()
        self.totals_only_grow()
        self.every_submission_is_counted_once()

    def write_down(self) -> None:
        for job in self.jobs.values():
            before = self.states.get(job.id, State.PENDING)
            if job.state in FINISHED and before not in FINISHED:
                self.expected[job.state] += 1
            if job.state not in FINISHED and before in FINISHED:
                self.expected[REVIVED] += 1
            self.states[job.id] = job.state

    def totals_are_what_was_written_down(self) -> None:
        found = self.run(ended(self.store))

        found.pop(RETRIED, None)
        assert found == {state: count for state, count in self.expected.items() if count}

    def totals_only_grow(self) -> None:
        totals = self.run(self.store.totals())

        now = {(one.queue, one.type, one.state): one.ended for one in totals}
        assert all(now[key] >= count for key, count in self.last.items())
        self.last = now

    def every_submission_is_counted_once(self) -> None:
        self.clock.advance(1)
        census = self.run(self.store.census())

        submitted = {one.queue: one.submitted for one in census.lines}
        assert submitted == Counter(job.queue for job in self.sent.values())


LEDGER_ACTIONS = [*ACTIONS, "fold", "delete", "retry", "tomorrow", "prune"]


def keep_ledger(url: str | None, data: st.DataObject) -> None:
    ledger = Ledger(url, data.draw)
    try:
        for action in data.draw(st.lists(st.sampled_from(LEDGER_ACTIONS), min_size=20)):
            getattr(ledger, action)()
            ledger.check()
    finally:
        ledger.close()


@pytest.mark.timeout(300)
@settings(deadline=None, max_examples=40, suppress_health_check=ENOUGH)
@given(data=st.data())
def test_totals_on_sqlite_are_what_happened(data: st.DataObject) -> None:
    keep_ledger(None, data)


@pytest.mark.timeout(300)
@settings(
    deadline=None,
    max_examples=8,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # shrinking takes minutes there
    suppress_health_check=[*ENOUGH, HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_totals_on_postgres_are_what_happened(
    shared_postgres_url: str, data: st.DataObject
) -> None:
    keep_ledger(shared_postgres_url, data)
