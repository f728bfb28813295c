"""A node of several processes: the shipped supervisor, crew and child, over simulated pipes.

Only what the operating system does is simulated: starting and ending a process, the socket between
two, the memory in which they share a deadline, and that children die with their parent.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import cache
from pathlib import Path
from signal import SIGTERM
from typing import Any

import msgspec
from msgspec.structs import replace

from tests.simulation.fleet import VERSION, hired, outfit_of, store_of, worker_settings
from tests.simulation.kernel import Loop
from tests.simulation.plan import NodePlan
from tests.simulation.process import Process
from windlass.config import Settings, load
from windlass.observe.events import Observer, Observers
from windlass.worker import child, supervisor
from windlass.worker.control import LONGEST_LINE, Assignment, Channel, Order, Report
from windlass.worker.crew import CrewSettings
from windlass.worker.hand import Hand
from windlass.worker.hired import Hired
from windlass.worker.lease import LocalLease
from windlass.worker.muster import Muster
from windlass.worker.supervisor import Charge, Supervisor

PIPE = 0.0005
LOADS_AT_LEAST, LOADS = 0.02, 0.2
KILLED, UNFIT = -9, 1
ORDERS: msgspec.json.Decoder[Order] = msgspec.json.Decoder(Order)
REPORTS: msgspec.json.Decoder[Report] = msgspec.json.Decoder(Report)


@cache
def settings() -> Settings:
    """How the app of every child is set."""
    return replace(load({}, Path("/"), {"store": "sqlite:///simulated.db"}), sources={})


class Pipe:
    """One direction of a socket: the writing end, as a `Channel` knows it."""

    def __init__(self, process: Process, to: Process) -> None:
        self._kernel = process.kernel
        self._loop: Loop = to.loop
        self.reader = asyncio.StreamReader(LONGEST_LINE, loop=to.loop)
        self.transport = self
        self._closed = False

    def write(self, data: bytes) -> None:
        """Send, in order."""
        self._loop.post_in(PIPE, self._arrive, data)

    def _arrive(self, data: bytes) -> None:
        if not self.reader.at_eof():
            self.reader.feed_data(data)

    def get_write_buffer_size(self) -> int:
        """Nothing waits here."""
        return 0

    def is_closing(self) -> bool:
        """Whether nothing can be sent any more."""
        return self._closed

    def close(self) -> None:
        """Hang up."""
        if not self._closed:
            self._closed = True
            self._loop.post_in(PIPE, self.reader.feed_eof)


class Offspring:
    """A started process as its parent knows it: a `Recruit`, as far as used."""

    def __init__(self, process: Process, parent: Process) -> None:
        self.process = process
        self.pid = 1
        self.returncode: int | None = None
        self._parent = parent
        self._ended = asyncio.Event()

    async def wait(self) -> int:
        """Wait for its end."""
        await self._ended.wait()
        return self.returncode or 0

    def ended(self, code: int) -> None:
        """It is gone; its parent hears of it a moment later."""
        self._parent.loop.post_in(PIPE, self._hear, code)

    def _hear(self, code: int) -> None:
        self.returncode = code
        self._ended.set()


class SimulatedHand(Hand):
    """A hand that is killed in virtual time."""

    def __init__(self, offspring: Any, channel: Channel[Order, Report]) -> None:
        super().__init__(offspring, channel)
        self._offspring: Offspring = offspring

    def kill(self) -> None:
        """End it now."""
        self.killed = True
        process = self._offspring.process
        if not process.gone:
            process.world.kill(process, "by its supervisor")

    async def ended(self) -> int:
        """Hear of its end."""
        code = await self._offspring.wait()
        self._channel.close()
        return code


class SimulatedMuster(Muster):
    """Has no processes of its own to start; see `SupervisedNode`."""

    def __init__(self) -> None:
        self.memory = 0


class SupervisedNode(Supervisor):
    """The shipped supervisor, whose hands are simulated processes."""

    def __init__(self, process: Process, plan: NodePlan) -> None:
        self.process = process
        self._plan = plan
        process.cell = LocalLease(process.clock)
        observer = process.world.observer(process)
        super().__init__(SimulatedMuster(), self._charge, observer=observer)

    def stop(self, *, drain: bool) -> None:
        """Send the signal, once or twice."""
        self.process.loop.signal(SIGTERM)
        if not drain:
            self.process.loop.signal(SIGTERM)

    @asynccontextmanager
    async def _charge(self, _settings: Settings) -> AsyncIterator[Charge]:
        knobs = self.process.world.plan.knobs
        crew = CrewSettings(
            processes=self._plan.processes,
            worker=worker_settings(self._plan, knobs, embedded=False),
            quarantine=2,
            quarantine_idle=3.0,
        )
        yield Charge(outfit_of(self.process, store_of(self.process)), crew, VERSION)

    async def _start(self) -> Hand:
        """Start a child; it takes a while to load the app."""
        parent = self.process
        await asyncio.sleep(0)
        process = parent.child()
        process.world.starts(process)
        orders, reports = Pipe(parent, process), Pipe(process, parent)
        offspring = process.offspring = Offspring(process, parent)
        process.pipes = (orders, reports)
        control = _channel(orders.reader, reports, ORDERS)
        loading = LOADS_AT_LEAST + LOADS * process.chance.random()
        work = _main(process, control)
        process.kernel.at(loading, process.loop.start, work)
        process.unborn = work
        return SimulatedHand(offspring, _channel(reports.reader, orders, REPORTS))


def _channel(reader: asyncio.StreamReader, writer: Any, decoder: Any) -> Any:
    return Channel(reader, writer, decoder)


async def _main(process: Process, control: Any) -> None:
    """The whole of a child process."""
    process.unborn = None
    problem: BaseException | None = None
    try:
        await child.serve(settings(), _hire_in(process), control, lambda: None)
    except BaseException as error:  # noqa: BLE001 — judged by the world
        problem = error
    process.world.exits(process, problem)


def _hire_in(process: Process) -> Any:
    @asynccontextmanager
    async def hire(assignment: Assignment, reporter: Observer) -> AsyncIterator[Hired]:
        parent = process.parent
        assert parent is not None
        yield hired(
            process,
            store_of(process),
            assignment.node,
            parent.cell,
            worker=assignment.worker,
            settings=assignment.settings,
            observer=Observers(process.world.observer(process), reporter),
        )

    return hire


class SimulatedSystem:
    """What a child asks of the operating system."""

    def _exit(self, _code: int) -> None:
        process = asyncio.get_running_loop().process  # type: ignore[attr-defined]
        process.world.kill(process, "it was left alone")


async def _given(control: Any) -> Any:
    return control


@contextmanager
def operating_system() -> Iterator[None]:
    """Stand in for what the shipped code asks of the system, while a world lasts."""
    stand_ins = [
        (child, "to_supervisor", _given),
        (child, "cap_memory", lambda _more: None),
        (child, "os", SimulatedSystem()),
        (supervisor, "SharedLease", lambda _fd, _clock: _cell()),
    ]
    before = [getattr(module, name) for module, name, _ in stand_ins]
    for module, name, stand_in in stand_ins:
        setattr(module, name, stand_in)
    try:
        yield
    finally:
        for (module, name, _), real in zip(stand_ins, before, strict=True):
            setattr(module, name, real)


def _cell() -> LocalLease:
    cell: LocalLease = asyncio.get_running_loop().process.cell  # type: ignore[attr-defined]
    return cell
