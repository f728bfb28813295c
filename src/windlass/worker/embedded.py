"""A worker inside another program, with the same node, lease and chores as one of its own."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeAlias

from windlass.core.job import NodeId
from windlass.loop import Loop, Pace
from windlass.store.records import Ask, NodeRecord, Standing
from windlass.worker.background import any_of, background
from windlass.worker.hired import Hired
from windlass.worker.lease import Lease, LocalLease
from windlass.worker.node import Node, Outfit
from windlass.worker.slots import Slots

HireHere: TypeAlias = Callable[[NodeId, Lease, Slots], AbstractAsyncContextManager[Hired]]

# How soon a type is taken on that was declared while the worker runs.
LESSONS = Pace(every=0.5, wait_first=True)


@asynccontextmanager
async def embedded(
    outfit: Outfit, hire: HireHere, slots: Slots, version: str
) -> AsyncIterator[None]:
    """Run jobs while the block runs; leaving it drains, leaving it by an error hands back."""
    shift = Shift(outfit, hire, slots, version)
    async with background(shift.run()):
        try:
            await any_of(shift.started, shift.ended)
            yield
        except BaseException:
            shift.stop(drain=False)
            raise
        else:
            shift.stop(drain=True)
        finally:
            await shift.ended.wait()


class Shift:
    """One stay of a worker in somebody's process, over as many nodes as the fleet forgets."""

    def __init__(self, outfit: Outfit, hire: HireHere, slots: Slots, version: str) -> None:
        """Begin idle; see `run`."""
        self.started = asyncio.Event()
        self.ended = asyncio.Event()
        self._outfit = outfit
        self._hire = hire
        # Of all tours: a handler that would not end with one still has its threads in the next.
        self._slots = slots
        self._version = version
        self._stop = asyncio.Event()
        self._drain = True

    async def run(self) -> None:
        """Work until stopped; forgotten by the fleet, begin anew under another name."""
        try:
            while not self._stop.is_set():
                await self._tour()
        finally:
            self.ended.set()

    def stop(self, *, drain: bool) -> None:
        """End, after the drain or at once."""
        self._drain = drain
        self._stop.set()

    async def _tour(self) -> None:
        outfit = self._outfit
        record = NodeRecord(
            id=NodeId(outfit.chance.token()),
            host=socket.gethostname(),
            pid=os.getpid(),
            version=self._version,
        )
        lease = LocalLease(outfit.clock)
        node = Node(record, outfit, lease)
        async with self._hire(node.id, lease, self._slots) as hired:
            crew = Solo(hired)
            async with node.on_duty(crew):
                await hired.enlist()
                node.hurry("unpark")  # its types may be new to the fleet
                self.started.set()
                await self._work(hired, node)

    async def _work(self, hired: Hired, node: Node) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(hired.run())
            async with background(hired.listen(node.heed), *self._lessons(hired, node)):
                await any_of(self._stop, node.forgotten)
            hired.worker.stop(drain=self._drain and self._stop.is_set())

    def _lessons(self, hired: Hired, node: Node) -> Iterator[Coroutine[Any, Any, None]]:
        """The program around it may declare types at any time, in any of its threads."""
        if hired.registry is None:
            return

        async def turn() -> None:
            if await hired.keep_up():
                node.hurry("unpark")

        chance = self._outfit.chance.random
        yield Loop("types", LESSONS, turn, chance=chance, report=node.report).run()


class Solo:
    """The crew of a node that has one worker, in the same process."""

    listens = True

    def __init__(self, hired: Hired) -> None:
        """Pass everything on to this worker."""
        self._worker = hired.worker
        self._id = hired.record.id

    def ring(self, *, wide: bool) -> None:
        """Let it look for jobs."""
        self._worker.ring(wide=wide)

    def cancel(self, ask: Ask) -> None:
        """Let it cancel an attempt."""
        if ask.worker == self._id:
            self._worker.cancel(ask.job, ask.fence)

    def learn(self, standing: Standing) -> None:
        """Let it know how the fleet stands."""
        self._worker.learn(standing)

    def suspect(self) -> None:
        """Nothing to make ready: it takes suspects when the next renewal tells of them."""
