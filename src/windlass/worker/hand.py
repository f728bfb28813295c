"""A worker process, as its supervisor sees it."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator, Sequence
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


class Hand:
    """One process: what it was told to be, whether it has room, and how it ended."""

    def __init__(
        self, process: asyncio.subprocess.Process, channel: Channel[Order, Report]
    ) -> None:
        """Take a process that was just started; see `start`."""
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
    async def start(cls, command: Sequence[str], lease: int) -> Hand:
        """Start a process; its last two arguments are the descriptors it inherits."""
        ours, theirs = socket.socketpair()
        with theirs:
            process = await asyncio.create_subprocess_exec(
                *command,
                str(theirs.fileno()),
                str(lease),
                stdin=asyncio.subprocess.DEVNULL,
                pass_fds=(theirs.fileno(), lease),
                # An interrupt from the keyboard is for the supervisor, who lets its hands finish.
                start_new_session=True,
            )
        return cls(process, await to_worker(ours))

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
        # Not by the process object, which would wait for it first and so hide how it ended.
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGKILL)

    async def ended(self) -> int:
        """Wait for its end; a negative code is the signal that killed it."""
        code = await self._process.wait()
        self._channel.close()
        return code
