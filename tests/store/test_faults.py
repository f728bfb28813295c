"""Failures that are alike are found together, as far as a bounded look reaches."""

from datetime import timedelta

import pytest

from tests.store.yard import Yard
from windlass.core.fingerprint import fingerprint
from windlass.core.job import State
from windlass.core.outcome import Cancelled, Crashed, Done, Failed, Snoozed
from windlass.core.search import JobFilter, made_at
from windlass.store import looking
from windlass.store.sql_store import SqlStore

HOUR = timedelta(hours=1)


async def test_dead_letters_are_grouped_by_type_and_error(yard: Yard, store: SqlStore) -> None:
    await yard.finished(Failed("no user 5"))
    last = await yard.finished(Failed("no user 7"), queue="slow")
    await yard.finished(Failed("no user 7"), type="sms")
    await yard.finished(Done())
    await yard.finished(Cancelled())

    dead = await store.dead(10)

    assert (dead.total, dead.looked_at, dead.looked_back_to) == (3, 3, None)
    first, second = dead.groups
    assert (first.type, first.count, second.type, second.count) == ("mail", 2, "sms", 1)
    assert first.fingerprint == second.fingerprint == fingerprint("no user 5")
    assert last in (first.sample, *[job.id for job in (await store.page(JobFilter())).jobs])


async def test_the_fingerprint_finds_exactly_the_group(yard: Yard, store: SqlStore) -> None:
    wanted = [await yard.finished(Failed(f"no user {n}")) for n in range(3)]
    await yard.finished(Failed("no user here"))
    await yard.finished(Done())
    _, claim = await yard.running(type="other")
    await yard.settle(claim, Failed("no user 8"))

    alike = fingerprint("no user 99")
    failed = JobFilter(states=frozenset({State.FAILED}), fingerprint=alike)
    page = await store.page(failed)
    every = await store.matching(JobFilter(fingerprint=alike))
    first = await store.matching(JobFilter(fingerprint=alike, limit=2))

    assert [job.id for job in page.jobs] == wanted[::-1]
    assert every.ids == [claim.id, *wanted[::-1]]
    assert first.ids == every.ids[:2]
    assert first.next == every.ids[1]


async def test_a_look_that_takes_long_says_how_far_it_came(
    yard: Yard, store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "FEW", 2)
    monkeypatch.setattr(looking, "MOST", 2)
    ids = [await yard.finished(Failed("no")) for _ in range(3)]

    dead = await store.dead(10)
    lately = await store.failures(HOUR, 10)

    assert (dead.total, dead.looked_at, dead.groups[0].count) == (3, 2, 2)
    assert dead.looked_back_to == made_at(ids[1])
    assert (lately.looked_at, lately.groups[0].count) == (2, 2)
    assert lately.looked_back_to == made_at(ids[1])


async def test_all_that_is_looked_at_in_portions_is_counted_once(
    yard: Yard, store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "FEW", 2)
    for _ in range(5):
        await yard.finished(Failed("no"))

    dead, lately = await store.dead(10), await store.failures(HOUR, 10)

    assert [group.count for group in dead.groups] == [5]
    assert [group.count for group in lately.groups] == [5]


async def test_attempts_that_failed_lately_count_each(yard: Yard, store: SqlStore) -> None:
    await yard.finished(Failed("long ago"))
    yard.clock.advance(3600)
    _, claim = await yard.running(max_attempts=3)
    await yard.settle(claim, Failed("no user 1"))
    yard.clock.advance(10)
    await store.promote(10)
    worker = await yard.worker()
    [again] = await yard.claim(worker)
    await yard.settle(again, Failed("no user 2"))
    for ending in (Snoozed(1.0), Cancelled(), Crashed(alone=True)):
        _, other = await yard.running(type="other")
        await yard.settle(other, ending)

    lately = await store.failures(HOUR, 10)

    counts = {group.error: group.count for group in lately.groups}
    assert counts.pop("no user 2") == 2
    assert len(counts) == 1  # the crash
    assert lately.looked_back_to is None
