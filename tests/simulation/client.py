"""Those who enqueue jobs and do things to them: they try until they are answered."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeVar

from tests.simulation.bell import TowerBell
from tests.simulation.fleet import store_of
from tests.simulation.plan import QUEUES, Deed, DeedPlan, JobPlan
from tests.simulation.process import Process
from tests.simulation.stage import TYPE
from windlass.app.ports import Backend
from windlass.app.sender import Sender
from windlass.bell.base import ASKED, CHANGED
from windlass.core.errors import Busy, StoreAway
from windlass.core.job import JobId, NewJob, Policy

T = TypeVar("T")


def job_id(number: int, sending: int = 0) -> JobId:
    """The id of a job of the plan; each caller that asks for it makes another."""
    return JobId(f"job-{number}" if not sending else f"job-{number}.{sending}")


def number_of(job: str) -> int:
    """Which job of the plan this is."""
    return int(job.removeprefix("job-").partition(".")[0])


class Client:
    """A program that enqueues by the shipped `Sender`."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._world = process.world
        self._bell = TowerBell(process.world.tower, process.loop)
        self._store = store_of(process)
        observer = process.world.observer(process)
        self._sender = Sender(Backend(self._store, self._bell, observer), process.clock)

    async def run(self) -> None:
        """Do everything that is planned and not done yet."""
        async with asyncio.TaskGroup() as group:
            for job in self._world.unacknowledged():
                group.create_task(self._enqueue(job))
            for deed in self._world.undone():
                group.create_task(self._do(deed))

    async def _enqueue(self, plan: JobPlan) -> None:
        await self._until(plan.at)
        sending = self._world.sendings(plan)
        new = NewJob(
            # Who was killed before the answer came asks anew: under its key it is the same request.
            id=job_id(plan.number, sending),
            type=TYPE,
            payload=str(plan.number),
            queue=plan.queue,
            delay=None if plan.delay is None else timedelta(seconds=plan.delay),
            priority=plan.priority,
            threads=plan.threads,
            max_attempts=plan.max_attempts,
            max_crashes=plan.max_crashes,
            policy=None if plan.timeout is None else Policy(timeout=plan.timeout),
            key=plan.key,
        )
        [answer] = await self._insist(lambda: self._sender.enqueue([new]))
        self._world.acknowledged(plan, answer)

    async def _do(self, plan: DeedPlan) -> None:
        await self._until(plan.at)
        await self._insist(lambda: self._deed(plan))
        self._world.did(plan)

    async def _deed(self, plan: DeedPlan) -> None:
        queue = QUEUES[plan.target % len(QUEUES)]
        ids = [self._world.known_id(plan.target)]
        match plan.deed:
            case Deed.CANCEL:
                if await self._store.cancel(ids):
                    await self._bell.ring([ASKED])
            case Deed.RETRY:
                await self._store.retry(ids)
            case Deed.DELETE:
                await self._store.delete(ids)
            case Deed.PAUSE:
                if not self._world.weather.calm:
                    await self._store.pause(queue, by="somebody")
            case Deed.RESUME:
                await self._store.resume(queue)
                await self._bell.ring([CHANGED])

    async def _insist(self, act: Callable[[], Awaitable[T]]) -> T:
        while True:
            try:
                return await act()
            except (StoreAway, Busy):
                await asyncio.sleep(0.05 + self._process.chance.random())

    async def _until(self, when: float) -> None:
        await asyncio.sleep(max(when - self._process.kernel.now, 0.0))
