"""The crew replaces processes that die, and passes on to them what they have not heard."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest

from tests.recorder import Recorder
from tests.waiting import until
from windlass.bell.base import LATER
from windlass.clock import SystemChance, SystemClock
from windlass.config import Settings
from windlass.core.job import NodeId, WorkerId
from windlass.worker.background import background
from windlass.worker.control import Assignment, Heard, Hello, Report, Room, Started
from windlass.worker.crew import CrewSettings, ProcessCrew, StartHand
from windlass.worker.hand import Hand
from windlass.worker.node import Node, Outfit


class Doomed:
    """A process that says a few things and dies."""

    def __init__(self, *reports: Report) -> None:
        self.pid = 1
        self.worker: WorkerId | None = None
        self.alone = self.listens = False
        self.room_since: float | None = None
        self.worked = self.stopped = self.killed = False
        self.reports = self._say(reports)

    async def hello(self) -> Hello:
        """Its app is loaded."""
        return Hello(Settings())

    def assign(self, assignment: Assignment) -> None:
        """Do as it is told."""
        self.worker = assignment.worker

    async def ended(self) -> int:
        """Killed."""
        return -9

    def kill(self) -> None:
        """Too late."""

    async def _say(self, reports: tuple[Report, ...]) -> AsyncIterator[Report]:
        for report in reports:
            yield report


class Idle(Doomed):
    """A process that has room and something to tell, and is rung."""

    def __init__(self) -> None:
        super().__init__()
        self.rings = 0
        self.reports = self._wait()
        self._killed = asyncio.Event()

    def assign(self, assignment: Assignment) -> None:
        """Listen, or not."""
        self.worker = assignment.worker
        self.listens = assignment.listens

    def has_room(self, since: float | None) -> None:
        """It has."""
        self.room_since = since

    def ring(self, *, wide: bool) -> None:  # noqa: ARG002
        """Count it."""
        self.rings += 1

    def stop(self, *, drain: bool) -> None:  # noqa: ARG002
        """End."""
        self.stopped = True
        self._killed.set()

    async def _wait(self) -> AsyncIterator[Report]:
        yield Room(free=True)
        yield Heard([LATER])
        await self._killed.wait()


class Quiet:
    """A node that nobody listens to."""

    id = NodeId("n")

    def __init__(self) -> None:
        self.heeded: list[str] = []

    def heed(self, words: Sequence[str]) -> None:
        """Take note of it."""
        self.heeded += words

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

    crew = crew_of(1, Quiet(), start)
    async with background(crew.work()):
        yield started
        await crew.end(drain=False, again=asyncio.Event())


def crew_of(processes: int, node: Quiet, start: StartHand) -> ProcessCrew:
    """A crew of so many processes, and nobody in quarantine."""
    ports: Any = {"clock": SystemClock(), "chance": SystemChance(), "observer": Recorder()}
    outfit = cast("Outfit", type("Ports", (), ports))
    settings = CrewSettings(processes=processes, quarantine=0)
    return ProcessCrew(cast("Node", node), settings, start, outfit)


async def test_a_process_that_died_at_work_is_replaced_at_once_again_and_again() -> None:
    async with deaths(Started()) as started:
        await until(lambda: len(started) >= 6, at_most=5)


async def test_a_process_that_never_worked_is_replaced_later_and_later() -> None:
    async with deaths() as started:
        with pytest.raises(AssertionError, match="not within"):
            await until(lambda: len(started) >= 4, at_most=1)

    assert len(started) >= 2


@pytest.mark.parametrize(("processes", "rung"), [(1, [0]), (2, [0, 1])])
async def test_the_only_process_hears_the_bell_itself_and_of_two_one_is_woken(
    processes: int, rung: list[int]
) -> None:
    node, started = Quiet(), list[Idle]()

    async def start() -> Hand:
        started.append(Idle())
        return cast("Hand", started[-1])

    crew = crew_of(processes, node, start)
    async with background(crew.work()):
        await until(lambda: node.heeded == [LATER] * processes)
        crew.ring(wide=False)
        await crew.end(drain=True, again=asyncio.Event())

    assert crew.listens == (processes == 1)
    assert sorted(hand.rings for hand in started) == rung
