"""Trends: every job is counted once in every grain, whoever writes them and whenever they die."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.store.yard import FAILED, Yard
from windlass.core.job import State
from windlass.core.outcome import Done
from windlass.core.trend import GRAINS, WINDOWS, Tally
from windlass.store.script import Script, Statement
from windlass.store.sql_store import SqlStore

COUNTS = ("enqueued", "started", "completed", "failed", "dead", "cancelled")


async def sums(store: SqlStore, window: str) -> dict[str, float]:
    """What a window tells altogether."""
    trend = await store.trend(WINDOWS[window])
    steps = [step for step in trend.steps if step is not None]
    found = {name: sum(getattr(step, name) or 0 for step in steps) for name in COUNTS}
    return {name: round(count, 3) for name, count in found.items() if count}


async def latest(store: SqlStore, window: str = "5m") -> Tally:
    """The last step that was counted."""
    trend = await store.trend(WINDOWS[window])
    return [step for step in trend.steps if step is not None][-1]


async def test_what_happened_is_told_in_every_window(yard: Yard, store: SqlStore) -> None:
    await store.beat()
    await yard.finished(Done())
    await yard.finished(FAILED)
    [waiting] = await yard.enqueue()
    await store.cancel([waiting])
    await yard.running(type="other")

    yard.clock.advance(5)
    await store.beat()

    expected = {
        "enqueued": 4,
        "started": 3,
        "completed": 1,
        "failed": 1,
        "dead": 1,
        "cancelled": 1,
    }
    for window in WINDOWS:
        assert await sums(store, window) == expected
    assert (await latest(store)).running == 1


async def test_what_had_happened_before_anybody_counted_is_not_told(
    yard: Yard, store: SqlStore
) -> None:
    await yard.finished(Done())

    await store.beat()
    yard.clock.advance(5)
    await store.beat()

    assert await sums(store, "5m") == {}


async def test_who_comes_too_early_writes_nothing_and_is_told_when_to_come(
    yard: Yard, store: SqlStore
) -> None:
    await store.beat()
    await yard.finished(Done())
    yard.clock.advance(2)

    wait = await store.beat()

    assert wait == 3
    assert await sums(store, "5m") == {}


async def test_of_two_who_write_at_once_one_is_heeded(
    yard: Yard, store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.beat()
    await yard.finished(Done())
    yard.clock.advance(5)
    other = SqlStore(store.database, yard.clock)
    run = store.database.run

    async def meanwhile(script: Script[None]) -> None:
        monkeypatch.undo()
        await other.beat()
        await run(script)

    await store.census()
    monkeypatch.setattr(store.database, "run", meanwhile)
    await store.beat()

    assert (await sums(store, "5m"))["completed"] == 1


@contextmanager
def dying_at(name: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whoever comes to this statement of a script dies."""

    def told(statement: str, *args: object, **given: object) -> Statement:
        if statement == name:
            raise SystemError("killed")
        return Statement(statement, *args, **given)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr("windlass.store.sql_trends.Statement", told)
        with pytest.raises(SystemError):
            yield


@pytest.mark.parametrize("statement", ["trend_keep", "trend_prune", "pulse_keep"])
async def test_whoever_dies_in_between_leaves_everything_to_the_next(
    yard: Yard, store: SqlStore, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    await store.beat()
    await yard.finished(Done())
    yard.clock.advance(5)
    with dying_at(statement, monkeypatch):
        await store.beat()
    await yard.finished(Done())
    yard.clock.advance(5)

    await store.beat()

    for window in WINDOWS:
        found = await sums(store, window)
        assert (found["completed"], found["enqueued"]) == (2, 2)


async def test_times_are_those_of_the_jobs_that_finished(yard: Yard, store: SqlStore) -> None:
    await store.beat()
    for ran in (1.0, 1.0, 1.0, 3.0):
        _, claim = await yard.running()
        yard.clock.advance(ran + 2)
        await store.settle([yard.end(claim, Done(), ran=ran)])

    await store.beat()

    tally = await latest(store)
    assert sorted(tally.run.values()) == [1, 3]
    assert list(tally.wait.values()) == [4]


async def test_times_of_what_finished_before_are_not_told_again(
    yard: Yard, store: SqlStore
) -> None:
    await store.beat()
    yard.clock.advance(1)
    await yard.finished(Done())
    yard.clock.advance(4)
    await store.beat()
    yard.clock.advance(5)

    await store.beat()
    trend = await store.trend(WINDOWS["5m"])

    assert sum(sum(step.run.values()) for step in trend.steps if step) == 1


async def test_old_trends_are_forgotten_by_their_grain(yard: Yard, store: SqlStore) -> None:
    await store.beat()
    await yard.finished(Done())
    yard.clock.advance(5)
    await store.beat()
    yard.clock.advance(GRAINS[5] + 60)
    await store.beat()

    kept = {grain: await trends(store, grain) for grain in GRAINS}

    assert len(kept[5]) <= 1001
    assert min(kept[5]) > min(kept[60])


async def trends(store: SqlStore, grain: int) -> list[int]:
    rows = await store.database.read(Statement("trend", {"grain": grain, "since_us": 0}))
    return [row["at_us"] for row in rows]


async def test_queues_are_told_how_fast_jobs_come_and_go(yard: Yard, store: SqlStore) -> None:
    await yard.enqueue(2, queue="slow", type="other")
    await store.beat()
    yard.clock.advance(10)
    await yard.enqueue(20, queue="slow", type="other")
    await yard.finished(Done(), queue="quick")

    await store.beat()
    pulse = await store.pulse()
    yard.clock.advance(60)

    assert pulse is not None
    assert pulse.rates["slow"] == (2.0, 0.0)
    assert pulse.rates["quick"] == (0.1, 0.1)
    assert not pulse.is_of(yard.clock.now_us())


async def test_queues_are_told_when_they_last_had_jobs(yard: Yard, store: SqlStore) -> None:
    await yard.finished(Done(), queue="quick")
    await store.beat()
    begun = yard.clock.now_us()
    yard.clock.advance(60)
    await store.beat()
    yard.clock.advance(60)
    await yard.enqueue(queue="slow")

    await store.beat()
    pulse = await store.pulse()

    assert pulse is not None
    assert pulse.seen == {"quick": begun, "slow": yard.clock.now_us()}


async def test_a_job_that_was_put_back_in_line_came_again(yard: Yard, store: SqlStore) -> None:
    failed = await yard.finished(FAILED)
    await store.beat()
    await store.retry([failed])
    yard.clock.advance(10)

    await store.beat()
    pulse = await store.pulse()

    assert await yard.state(failed) is State.PENDING
    assert pulse is not None
    assert pulse.rates["default"].into == 0.1
    assert await sums(store, "5m") == {}
