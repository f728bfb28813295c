"""A worker process, as its supervisor sees it."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from contextlib import suppress

from windlass.core.job import WorkerId
from windlass.store.records import Standing
from windlass.worker.control import (
    Assignment,
    Channel,
    Hello,
    Learn,
    Order,
    Report,
    Retire,
    Ring,
    Stop,
    to_worker,
)
from windlass.worker.muster import Recruit


class Hand:
    """One process: what it was told to be, whether it has room, and how it ended."""

    def __init__(self, process: Recruit, channel: Channel[Order, Report]) -> None:
        """Take a process that was started, and the line to it; see `of`."""
        self.pid = process.pid
        self.worker: WorkerId | None = None
        self.alone = False
        self.listens = False
        self.room_since: float | None = None
        self.worked = False
        self.stopped = False
        self.killed = False
        self._process = process
        self._channel = channel
        self.reports: AsyncIterator[Report] = channel.hear()
        self._hello: Hello | None = None
        self._learned: tuple[int, int, bool] | None = None

    @classmethod
    async def of(cls, process: Recruit) -> Hand:
        """Lead a process that was started, perhaps a while ago."""
        return cls(process, await to_worker(process.line))

    async def hello(self) -> Hello | None:
        """The first thing it said; nothing if it ended without a word."""
        if self._hello is None:
            with suppress(StopAsyncIteration):
                first = await anext(self.reports)
                self._hello = first if isinstance(first, Hello) else None
        return self._hello

    def assign(self, assignment: Assignment) -> None:
        """Tell it who it is."""
        self.worker = assignment.worker
        self.alone = assignment.settings.alone
        self.listens = assignment.listens
        self._channel.say(assignment)

    def has_room(self, since: float | None) -> None:
        """Remember since when it could take more jobs, if it can."""
        if since is None or self.room_since is None:
            self.room_since = since

    def ring(self, *, wide: bool) -> None:
        """Tell it that jobs may be waiting."""
        self._channel.hint(Ring(wide))

    def say(self, order: Order) -> None:
        """Tell it something that must not be lost."""
        self._channel.say(order)

    def learn(self, standing: Standing) -> None:
        """Tell it how the fleet stands, if that is news."""
        news = (standing.aging_us, standing.widest, self.worker in standing.draining)
        if self.worker is not None and news != self._learned:
            self._learned = news
            self._channel.say(Learn(standing))

    def stop(self, *, drain: bool) -> None:
        """Let it end; one that has nothing to do yet is simply ended."""
        self.stopped = True
        if self.worker is None:
            self.kill()
        else:
            self._channel.say(Stop(drain))

    def retire(self) -> None:
        """Let it end, unless it has found something to do by then."""
        self._channel.say(Retire())

    def kill(self) -> None:
        """End it now."""
        self.killed = True
        self._process.kill()

    async def ended(self) -> int:
        """Wait for its end; a negative code is the signal that killed it."""
        await _over(self._process)
        self._channel.close()
        return self._process.wait()


async def _over(process: Recruit) -> None:
    """Wait for its end: the system has a descriptor that tells of it, else a thread waits."""
    if process.over():
        return
    loop, over = asyncio.get_running_loop(), asyncio.Event()
    descriptor = _descriptor(process.pid)
    if descriptor is None:
        threading.Thread(target=_tell, args=(process, loop, over), daemon=True).start()
        await over.wait()
        return
    loop.add_reader(descriptor, over.set)
    try:
        await over.wait()
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)


def _descriptor(pid: int) -> int | None:
    """What can be read once the process has ended; not every system has it."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _tell(process: Recruit, loop: asyncio.AbstractEventLoop, over: asyncio.Event) -> None:
    process.wait()
    with suppress(RuntimeError):  # nobody waits any more
        loop.call_soon_threadsafe(over.set)
