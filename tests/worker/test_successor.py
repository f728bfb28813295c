"""A worker after another in the same process: what would not end keeps its place and threads."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.waiting import until
from tests.worker.faults import Faulty
from tests.worker.yard import Yard, running, standing
from windlass.core.job import State
from windlass.worker import worker as worker_module
from windlass.worker.worker import Worker

LONG = 600.0  # nobody polls so late: whoever begins was woken


class Clinging:
    """A handler in a thread that, the first time, ends when the test lets it and not when told."""

    def __init__(self, yard: Yard) -> None:
        self.begun = threading.Event()
        self.let_go = threading.Event()
        yard.handles(self.cling)

    def cling(self) -> None:
        """Heed nobody."""
        if not self.begun.is_set():
            self.begun.set()
            self.let_go.wait(60)


@pytest.fixture
def clinging(yard: Yard, monkeypatch: pytest.MonkeyPatch) -> Clinging:
    monkeypatch.setattr(worker_module, "CLEAN_UP", 0.0)

    def hello() -> None: ...

    yard.handles(hello)
    return Clinging(yard)


@asynccontextmanager
async def succeeding(yard: Yard, first: Worker, **settings: Any) -> AsyncIterator[Worker]:
    """Another worker, in the place of the first."""
    second = await yard.hire(after=first, **settings)
    async with running(second):
        yield second


async def test_a_worker_grants_no_threads_that_one_before_it_has_not_back(
    yard: Yard, clinging: Clinging
) -> None:
    await yard.enqueue("cling", threads=3)
    async with yard.working(threads=4) as first:
        await until(clinging.begun.is_set)
    wide = await yard.enqueue("hello", threads=2)
    narrow = await yard.enqueue("hello", threads=1)

    async with succeeding(yard, first, threads=4, poll=LONG) as second:
        await yard.come_to(State.COMPLETED, narrow)
        while_it_ran = (await yard.state(wide), second._slots.threads, second._slots.running)
        clinging.let_go.set()
        await yard.come_to(State.COMPLETED, wide)
        await until(lambda: second._slots.free_threads == 4)

    assert while_it_ran == (State.PENDING, 4, 1)


async def test_a_worker_without_a_free_slot_begins_when_what_was_left_has_ended(
    yard: Yard, clinging: Clinging
) -> None:
    await yard.enqueue("cling")
    async with yard.working(slots=1) as first:
        await until(clinging.begun.is_set)
    job = await yard.enqueue("hello")

    async with succeeding(yard, first, slots=1, poll=LONG) as second:
        await until(lambda: second._told_room is False)
        before = await yard.state(job)
        clinging.let_go.set()
        await yard.come_to(State.COMPLETED, job)

    assert before is State.PENDING


async def test_a_suspect_waits_for_what_was_left_and_others_do_not_wait_for_the_suspect(
    yard: Yard, clinging: Clinging
) -> None:
    await yard.enqueue("cling")
    async with yard.working() as first:
        await until(clinging.begun.is_set)
    suspect = await yard.suspect("hello")

    async with succeeding(yard, first, takes_suspects=True, patience=0.0) as second:
        second.learn(standing(suspects=1))
        others = await yard.enqueue_many("hello", 20)
        second.ring()
        await yard.come_to(State.COMPLETED, *others)
        while_it_ran = await yard.state(suspect)
        clinging.let_go.set()
        await yard.come_to(State.COMPLETED, suspect)

    assert while_it_ran is not State.COMPLETED


async def test_threads_come_free_though_nobody_could_settle_what_had_them(
    yard: Yard, clinging: Clinging
) -> None:
    await yard.enqueue("cling", threads=3)
    store = Faulty(yard.store)
    async with yard.working(store, threads=4) as worker:
        await until(clinging.begun.is_set)
        store.away = True
        yard.lease.revoke()

    clinging.let_go.set()

    await until(lambda: worker._slots.free_threads == 4)
