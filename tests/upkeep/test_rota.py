"""Every chore has its turn, and one that fails does not take the others along."""

import asyncio
from contextlib import suppress

from tests.embedded import Fleet, OwnClock
from tests.recorder import Recorder
from tests.waiting import until
from windlass.bell.local import LocalBell
from windlass.clock import SystemChance
from windlass.core.job import JobId, State
from windlass.observe.events import ChoreFailed
from windlass.store.sql_store import SqlStore
from windlass.upkeep.judge import LOCK, TTL
from windlass.upkeep.rota import PACES, Tools, rota


def tools(store: SqlStore, bell: LocalBell, observer: Recorder) -> Tools:
    return Tools(store=store, bell=bell, chance=SystemChance(), observer=observer)


async def test_every_chore_is_on_the_rota(
    store: SqlStore, bell: LocalBell, observer: Recorder
) -> None:
    names = [loop.name for loop in rota(tools(store, bell, observer), lambda _: True)]

    assert names == list(PACES)


async def test_every_chore_does_its_turn_on_an_empty_store(
    store: SqlStore, bell: LocalBell, observer: Recorder
) -> None:
    for loop in rota(tools(store, bell, observer), lambda _: True):
        await loop.turn()

    assert observer.events == []


async def test_a_node_that_may_not_judge_takes_only_from_the_certainly_dead(
    store: SqlStore, bell: LocalBell, observer: Recorder, fleet: Fleet, clock: OwnClock
) -> None:
    node = await fleet.node()
    worker = await fleet.worker(node, "mail")
    job = await fleet.job()
    await fleet.claim(node, worker, "mail")
    clock.advance(16)
    loops = {loop.name: loop for loop in rota(tools(store, bell, observer), lambda _: False)}

    await loops["reclaim"].turn()

    found = await store.job(job)
    assert found is not None
    assert found.state is State.RUNNING


async def lapsed_job(fleet: Fleet, clock: OwnClock) -> JobId:
    """A job of a node that has let its lease run out."""
    node = await fleet.node()
    worker = await fleet.worker(node, "mail")
    job = await fleet.job()
    await fleet.claim(node, worker, "mail")
    clock.advance(16)
    return job


async def test_one_node_judges_at_a_time_and_a_judge_that_died_is_in_nobodys_way_for_long(
    store: SqlStore, bell: LocalBell, observer: Recorder, fleet: Fleet, clock: OwnClock
) -> None:
    job = await lapsed_job(fleet, clock)
    await store.lock(LOCK, TTL)
    loops = {loop.name: loop for loop in rota(tools(store, bell, observer), lambda _: True)}

    await loops["reclaim"].turn()
    while_judged = await store.job(job)
    clock.advance(1.001)
    await loops["reclaim"].turn()
    after = await store.job(job)

    assert while_judged is not None
    assert while_judged.state is State.RUNNING
    assert after is not None
    assert after.state is State.PENDING
    assert (await store.lock(LOCK, TTL)).token is not None


async def test_what_is_certainly_dead_is_reclaimed_under_no_lock(
    store: SqlStore, bell: LocalBell, observer: Recorder, fleet: Fleet
) -> None:
    node = await fleet.node()
    worker = await fleet.worker(node, "mail")
    job = await fleet.job()
    await fleet.claim(node, worker, "mail")
    await store.dismiss([worker])
    await store.lock(LOCK, TTL)
    loops = {loop.name: loop for loop in rota(tools(store, bell, observer), lambda _: True)}

    await loops["reclaim"].turn()

    found = await store.job(job)
    assert found is not None
    assert found.state is State.PENDING


async def test_a_judge_that_was_frozen_while_it_asked_for_the_lock_judges_nobody(
    store: SqlStore, bell: LocalBell, observer: Recorder, fleet: Fleet, clock: OwnClock
) -> None:
    job = await lapsed_job(fleet, clock)
    answers = iter([True, True, False])
    loops = {
        loop.name: loop for loop in rota(tools(store, bell, observer), lambda _: next(answers))
    }

    await loops["reclaim"].turn()

    found = await store.job(job)
    assert found is not None
    assert found.state is State.RUNNING


async def test_a_chore_that_fails_is_told_and_has_its_turn_again(
    store: SqlStore, bell: LocalBell, observer: Recorder
) -> None:
    await store.close()
    [promote, *_] = rota(tools(store, bell, observer), lambda _: True)

    task = asyncio.create_task(promote.run())
    await until(lambda: len(observer.of(ChoreFailed)) >= 2)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task

    assert {failed.chore for failed in observer.of(ChoreFailed)} == {"promote"}
