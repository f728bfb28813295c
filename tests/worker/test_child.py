"""The inside of a worker process, and its supervisor at the other end of the wire."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.waiting import until
from tests.worker.yard import Yard
from windlass.bell.base import LATER
from windlass.bell.local import LocalBell
from windlass.config import Settings
from windlass.core.job import State, WorkerId
from windlass.observe.events import Observer
from windlass.worker.child import serve
from windlass.worker.control import (
    Assignment,
    Channel,
    Heard,
    Order,
    Report,
    Retire,
    Retired,
    Stop,
    to_worker,
)
from windlass.worker.hired import Hired
from windlass.worker.settings import WorkerSettings

QUARANTINE = WorkerSettings(alone=True, slots=1, drain=0.0)


class Served:
    """A process that works in this one, as far as its supervisor can tell."""

    def __init__(
        self, yard: Yard, settings: WorkerSettings = QUARANTINE, *, listens: bool = False
    ) -> None:
        self.yard = yard
        self.bell = LocalBell(None, clock=yard.clock, chance=yard.chance, observer=yard.seen)
        self.heard: list[Report] = []
        self._settings = settings
        self._listens = listens

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[Channel[Order, Report]]:
        """Let it work while the block runs, and then until it ends."""
        ours, theirs = socket.socketpair()
        channel = await to_worker(ours)
        serving = asyncio.create_task(serve(Settings(), self._hire, theirs, lambda: None))
        listening = asyncio.create_task(self._listen(channel))
        worker = WorkerId(self.yard.chance.token())
        channel.say(Assignment(self.yard.node, worker, self._settings, listens=self._listens))
        try:
            yield channel
            await serving
        finally:
            serving.cancel()
            listening.cancel()
            channel.close()

    async def _listen(self, channel: Channel[Order, Report]) -> None:
        async for report in channel.hear():
            self.heard.append(report)

    @asynccontextmanager
    async def _hire(self, assignment: Assignment, observer: Observer) -> AsyncIterator[Hired]:
        yard, settings = self.yard, assignment.settings
        worker = yard.worker(assignment.worker, settings)
        record = yard.record(worker, settings)
        yield Hired(
            worker=worker, record=record, store=yard.store, bell=self.bell, observer=observer
        )


async def test_a_quarantine_that_is_asked_to_retire_ends_its_job_first(yard: Yard) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        await go_on.wait()

    yard.handles(work)
    suspect = await yard.suspect("work")
    served = Served(yard)

    async with served.serving() as supervisor:
        await begun.wait()
        supervisor.say(Retire())
        supervisor.say(Retire())
        await asyncio.sleep(0.1)
        go_on.set()
        [job] = await yard.come_to(State.COMPLETED, suspect)
        declined = Retired() not in served.heard
        supervisor.say(Retire())

    await until(lambda: Retired() in served.heard)
    assert declined
    assert job.failures == 0


async def test_a_process_that_listens_is_woken_by_the_bell_and_passes_on_what_is_for_its_node(
    yard: Yard,
) -> None:
    async def work() -> None:
        """Nothing to do."""

    yard.handles(work)
    first = await yard.enqueue("work")
    served = Served(yard, WorkerSettings(poll=60.0), listens=True)

    async with served.serving() as supervisor:
        await yard.come_to(State.COMPLETED, first)
        second = await yard.enqueue("work")
        await served.bell.ring(["default", LATER])
        await yard.come_to(State.COMPLETED, second)
        await until(lambda: Heard([LATER]) in served.heard)
        supervisor.say(Stop(drain=True))

    assert [report for report in served.heard if isinstance(report, Heard)] == [Heard([LATER])]
