"""A scheduled job is put in line when it is due: not before, and not much later."""

import pytest

from tests.embedded import Fleet, OwnClock
from tests.recorder import Recorder
from windlass.bell.base import Ear
from windlass.bell.local import LocalBell
from windlass.core.job import State
from windlass.observe.events import JobsPromoted
from windlass.store.sql_store import SqlStore
from windlass.upkeep import promote as promoting
from windlass.upkeep.promote import LONGEST_WAIT, promote


async def test_a_job_that_is_not_due_stays_where_it_is(
    store: SqlStore, bell: LocalBell, observer: Recorder, fleet: Fleet
) -> None:
    job = await fleet.job(delay=0.3)

    again = await promote(store, bell, observer)

    found = await store.job(job)
    assert found is not None
    assert found.state is State.SCHEDULED
    assert 0.2 < again <= 0.3
    assert observer.of(JobsPromoted) == []


async def test_a_due_job_is_put_in_line_and_its_queue_is_rung(
    store: SqlStore, bell: LocalBell, observer: Recorder, fleet: Fleet, clock: OwnClock, ear: Ear
) -> None:
    job = await fleet.job(delay=0.3)
    clock.advance(0.3)

    again = await promote(store, bell, observer)

    found = await store.job(job)
    assert found is not None
    assert found.state is State.PENDING
    assert again == LONGEST_WAIT
    assert await ear.wait() == ["default"]
    assert observer.of(JobsPromoted) == [JobsPromoted(1)]


async def test_a_job_due_in_an_hour_does_not_stop_it_from_looking_sooner(
    store: SqlStore, bell: LocalBell, observer: Recorder, fleet: Fleet
) -> None:
    await fleet.job(delay=3600)

    assert await promote(store, bell, observer) == LONGEST_WAIT


async def test_more_due_jobs_than_one_turn_takes_ask_for_another_at_once(
    store: SqlStore,
    bell: LocalBell,
    observer: Recorder,
    fleet: Fleet,
    clock: OwnClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(promoting, "CHUNK", 2)
    for _ in range(3):
        await fleet.job(delay=1)
    clock.advance(1)

    waits = [await promote(store, bell, observer) for _ in range(2)]

    assert waits == [0.0, LONGEST_WAIT]
