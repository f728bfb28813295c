"""The crew replaces processes that die: at once if they worked, later and later if they did not."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest

from tests.recorder import Recorder
from tests.waiting import until
from windlass.clock import SystemChance, SystemClock
from windlass.config import Settings
from windlass.core.job import NodeId, WorkerId
from windlass.worker.background import background
from windlass.worker.control import Hello, Report, Started
from windlass.worker.crew import CrewSettings, ProcessCrew
from windlass.worker.hand import Hand
from windlass.worker.node import Node, Outfit


class Doomed:
    """A process that says a few things and dies."""

    def __init__(self, *reports: Report) -> None:
        self.pid = 1
        self.worker: WorkerId | None = None
        self.alone = False
        self.room_since: float | None = None
        self.worked = self.stopped = self.killed = False
        self.reports = self._say(reports)

    async def hello(self) -> Hello:
        """Its app is loaded."""
        return Hello(Settings())

    def assign(self, _: object) -> None:
        """Do as it is told."""
        self.worker = WorkerId("w")

    async def ended(self) -> int:
        """Killed."""
        return -9

    def kill(self) -> None:
        """Too late."""

    async def _say(self, reports: tuple[Report, ...]) -> AsyncIterator[Report]:
        for report in reports:
            yield report


class Quiet:
    """A node that nobody listens to."""

    id = NodeId("n")

    def dismiss(self, _: WorkerId) -> None:
        """Nothing to reclaim."""

    def hurry(self, *_: str) -> None:
        """Nothing to do."""


@asynccontextmanager
async def deaths(*reports: Report) -> AsyncIterator[list[Doomed]]:
    """Every process that a crew of one starts, each of which dies after these reports."""
    started: list[Doomed] = []

    async def start() -> Hand:
        started.append(Doomed(*reports))
        return cast("Hand", started[-1])

    ports: Any = {"clock": SystemClock(), "chance": SystemChance(), "observer": Recorder()}
    outfit = cast("Outfit", type("Ports", (), ports))
    settings = CrewSettings(processes=1, quarantine=0)
    crew = ProcessCrew(cast("Node", Quiet()), settings, start, outfit)
    async with background(crew.work()):
        yield started
        await crew.end(drain=False, again=asyncio.Event())


async def test_a_process_that_died_at_work_is_replaced_at_once_again_and_again() -> None:
    async with deaths(Started()) as started:
        await until(lambda: len(started) >= 6, at_most=5)


async def test_a_process_that_never_worked_is_replaced_later_and_later() -> None:
    async with deaths() as started:
        with pytest.raises(AssertionError, match="not within"):
            await until(lambda: len(started) >= 4, at_most=1)

    assert len(started) >= 2
