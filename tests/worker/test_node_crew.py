"""The processes of a node: how many there are, whom a ring wakes, and how they end."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.embedded import embedded_store
from tests.recorder import Recorder
from tests.waiting import until
from windlass.bell.local import LocalBell
from windlass.clock import SystemChance, SystemClock
from windlass.core.job import JobId, NodeId, WorkerId
from windlass.observe.events import WorkerDied
from windlass.store.records import Ask, NodeRecord, Standing
from windlass.store.sql_store import SqlStore
from windlass.upkeep.rota import Tools, rota
from windlass.worker.crew import CrewSettings, ProcessCrew
from windlass.worker.hand import Hand
from windlass.worker.lease import LocalLease
from windlass.worker.memory import shared_memory
from windlass.worker.muster import Recruit
from windlass.worker.node import Node, Outfit
from windlass.worker.settings import WorkerSettings

PUPPET = Path(__file__).with_name("puppet.py")


class Crewed:
    """A crew of puppets, and what each of them was told."""

    def __init__(self, folder: Path, store: SqlStore, settings: CrewSettings) -> None:
        self.folder = folder
        self.observer = Recorder()
        bell = LocalBell(None, clock=SystemClock(), chance=SystemChance(), observer=self.observer)
        tools = Tools(
            store=store,
            bell=bell,
            chance=SystemChance(),
            observer=self.observer,
        )
        outfit = Outfit(
            store=store,
            open_lease_store=lambda: nullcontext(store),
            bell=bell,
            clock=SystemClock(),
            chance=SystemChance(),
            observer=self.observer,
            rota=partial(rota, tools),
            answering=lambda _: nullcontext(),
        )
        record = NodeRecord(id=NodeId(SystemChance().token()), host="here", pid=1, version="0")
        node = Node(record, outfit, LocalLease(SystemClock()))
        self.crew = ProcessCrew(node, settings, self._start, outfit)
        self._memory = shared_memory()

    async def _start(self) -> Hand:
        command = [sys.executable, str(PUPPET), str(self.folder)]
        return await Hand.of(Recruit.start(command, self._memory))

    def told(self, type_: str) -> list[dict[str, Any]]:
        """The orders of one type, with the pid of who got each."""
        orders = []
        for file in sorted(self.folder.glob("*.json")):
            order = json.loads(file.read_text() or "{}")
            if order.get("type") == type_:
                orders.append({**order, "pid": int(file.name.split("-")[0])})
        return orders

    def ready(self, *, alone: bool = False) -> list[Hand]:
        """The hands that have room."""
        return [
            hand for hand in self.crew._hands if hand.alone is alone and hand.room_since is not None
        ]

    @asynccontextmanager
    async def working(self, processes: int = 1) -> AsyncIterator[None]:
        """The crew at work while the block runs."""
        work = asyncio.create_task(self.crew.work())
        await until(lambda: len(self.ready()) == processes)
        try:
            yield
        finally:
            await self.crew.end(drain=True, again=asyncio.Event())
            await work


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqlStore]:
    async with embedded_store(tmp_path / "jobs.db", SystemClock()) as store:
        yield store


def settings(**given: Any) -> CrewSettings:
    return CrewSettings(worker=WorkerSettings(slots=7, drain=1.0), **given)


def standing(suspects: int = 0, widest: int = 4) -> Standing:
    return Standing(known=True, now_us=1, aging_us=60_000_000, widest=widest, suspects=suspects)


async def test_every_post_is_manned_and_told_who_it_is(tmp_path: Path, store: SqlStore) -> None:
    crewed = Crewed(tmp_path, store, settings(processes=2))

    async with crewed.working(processes=2):
        pass

    assignments = crewed.told("Assignment")
    assert len({order["worker"] for order in assignments}) == 2
    assert [order["settings"]["slots"] for order in assignments] == [7, 7]
    assert len(crewed.told("Stop")) == 2
    assert crewed.crew.killed == 0


async def test_a_ring_wakes_one_and_the_next_ring_another(tmp_path: Path, store: SqlStore) -> None:
    crewed = Crewed(tmp_path, store, settings(processes=2))

    async with crewed.working(processes=2):
        crewed.crew.ring(wide=True)
        await until(lambda: len(crewed.told("Ring")) == 1)
        crewed.crew.ring(wide=True)
        await until(lambda: len(crewed.told("Ring")) == 2)

    assert len({order["pid"] for order in crewed.told("Ring")}) == 2


async def test_only_the_process_that_shall_drain_is_told_so(
    tmp_path: Path, store: SqlStore
) -> None:
    crewed = Crewed(tmp_path, store, settings(processes=2))

    async with crewed.working(processes=2):
        crewed.crew.learn(standing())
        await until(lambda: len(crewed.told("Learn")) == 2)
        one, _ = (order["worker"] for order in crewed.told("Assignment"))
        for _ in range(2):
            crewed.crew.learn(replace(standing(), draining=(WorkerId(one),)))
        await until(lambda: len(crewed.told("Learn")) == 3)

    told = sorted(order["standing"]["draining"] for order in crewed.told("Learn"))
    assert told == [[], [], [one]]


async def test_an_ask_reaches_only_the_process_that_runs_the_job(
    tmp_path: Path, store: SqlStore
) -> None:
    crewed = Crewed(tmp_path, store, settings(processes=2))

    async with crewed.working(processes=2):
        asked = crewed.ready()[1]
        crewed.crew.cancel(Ask(JobId("j"), 3, asked.worker or WorkerId("")))
        await until(lambda: crewed.told("Cancel"))

    assert [(order["pid"], order["job"], order["fence"]) for order in crewed.told("Cancel")] == [
        (asked.pid, "j", 3)
    ]


async def test_only_news_of_the_fleet_is_passed_on(tmp_path: Path, store: SqlStore) -> None:
    crewed = Crewed(tmp_path, store, settings())

    async with crewed.working():
        for widest in (4, 4, 8):
            crewed.crew.learn(standing(widest=widest))
        await until(lambda: len(crewed.told("Learn")) == 2)

    assert [order["standing"]["widest"] for order in crewed.told("Learn")] == [4, 8]


async def test_a_dead_process_is_replaced_and_a_quarantine_stands_ready(
    tmp_path: Path, store: SqlStore
) -> None:
    crewed = Crewed(tmp_path, store, settings())

    async with crewed.working():
        [dead] = crewed.ready()
        os.kill(dead.pid, signal.SIGKILL)
        await until(lambda: crewed.ready() and crewed.ready(alone=True))

    assert [(died.pid, died.code) for died in crewed.observer.of(WorkerDied)] == [(dead.pid, -9)]
    [alone] = [order for order in crewed.told("Assignment") if order["settings"]["alone"]]
    assert alone["settings"]["slots"] == 1
    assert alone["memory"] == 1 << 30


async def test_there_are_no_more_quarantines_than_suspects_or_than_allowed(
    tmp_path: Path, store: SqlStore
) -> None:
    crewed = Crewed(tmp_path, store, settings(quarantine=2))

    async with crewed.working():
        crewed.crew.learn(standing(suspects=1))
        await until(lambda: len(crewed.ready(alone=True)) == 1)
        crewed.crew.learn(standing(suspects=1))
        crewed.crew.learn(standing(suspects=8))
        await until(lambda: len(crewed.ready(alone=True)) == 2)
        crewed.crew.learn(standing(suspects=8))

    assert sum(order["settings"]["alone"] for order in crewed.told("Assignment")) == 2


async def test_a_quarantine_without_suspects_is_closed_after_a_while(
    tmp_path: Path, store: SqlStore
) -> None:
    crewed = Crewed(tmp_path, store, settings(quarantine_idle=0.05))

    async with crewed.working():
        crewed.crew.learn(standing(suspects=1))
        await until(lambda: crewed.ready(alone=True))
        crewed.crew.learn(standing(suspects=1))
        kept = len(crewed.ready(alone=True))

        def closed() -> bool:
            crewed.crew.learn(standing(suspects=0))
            return not crewed.ready(alone=True)

        await until(closed)
        others = len(crewed.ready())

    assert (kept, others) == (1, 1)
