"""Keeps a process of ours running beside this one."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Sequence
from contextlib import suppress

from windlass.observe.events import (
    ChoreFailed,
    Event,
    Observer,
    ProcessDied,
    ShutdownAsked,
    ShutdownComplete,
)
from windlass.wiring.stopping import Stop
from windlass.worker.background import any_of
from windlass.worker.supervisor import Exit

FIRST_PAUSE = 0.1
LAST_PAUSE = 5.0
# Whoever lived for so long did not die of how it was started.
LIVED = 10.0


class Keeper:
    """Starts a process again whenever it dies, and ends it when it is time to stop.

    The process holds a pipe of ours as its input: when that ends, so do we, however we ended.
    """

    def __init__(
        self, what: str, command: Sequence[str], observer: Observer, *, fds: Sequence[int] = ()
    ) -> None:
        """Start nothing yet; the descriptors are inherited."""
        self._what = what
        self._command = command
        self._observer = observer
        self._fds = fds

    async def run(self, stop: Stop, patience: float) -> Exit:
        """Keep it until it is time to stop; it has so many seconds to end then.

        One that is unfit to run says so itself, and is not started again.
        """
        loop = asyncio.get_running_loop()
        pause = FIRST_PAUSE
        while not stop.asked.is_set():
            began = loop.time()
            ending = await self._once(stop, patience)
            if ending is not None:
                return ending
            pause = FIRST_PAUSE if loop.time() - began > LIVED else min(pause * 2, LAST_PAUSE)
            await any_of(stop.asked, within=pause)
        return Exit.STOPPED

    async def _once(self, stop: Stop, patience: float) -> Exit | None:
        """How it ended for good; None if it is to be started again."""
        try:
            process = await self._start()
        except OSError as problem:  # the system has no memory or no process to spare, for now
            self._observer.on(ChoreFailed(f"start {self._what}", str(problem)))
            return None
        code = await self._lived(process, stop, patience)
        if stop.asked.is_set() or code == Exit.UNFIT:
            return _ending(code)
        self._observer.on(ProcessDied(self._what, process.pid, code))
        return None

    async def _start(self) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            pass_fds=self._fds,
            # An interrupt from the keyboard is for us, who pass it on.
            start_new_session=True,
        )

    async def _lived(self, process: asyncio.subprocess.Process, stop: Stop, patience: float) -> int:
        ending = asyncio.create_task(process.wait())
        asking = asyncio.create_task(_end(process.pid, stop, patience))
        try:
            return await asyncio.shield(ending)
        finally:
            asking.cancel()
            ending.cancel()


async def _end(pid: int, stop: Stop, patience: float) -> None:
    """Ask it to end when we are asked, again when we are asked again, and then no more."""
    await stop.asked.wait()
    _signal(pid, signal.SIGTERM)
    await any_of(stop.again, within=patience)
    _signal(pid, signal.SIGTERM)
    await asyncio.sleep(patience)
    _signal(pid, signal.SIGKILL)


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def _ending(code: int) -> Exit:
    if code == -signal.SIGTERM:
        return Exit.STOPPED  # it had not begun: whoever has heeds the signal
    try:
        return Exit(code)
    except ValueError:
        return Exit.CUT_SHORT


def end_with_parent() -> None:
    """Stop, as if asked to, when the process that keeps this one is gone."""

    def wait() -> None:
        with suppress(OSError):
            while os.read(0, 1):
                pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="parent", daemon=True).start()


class Kept:
    """Tells all but what whoever keeps this process tells, once: of the signal, and of the end."""

    def __init__(self, observer: Observer, *told: type[Event]) -> None:
        """Tell this observer; of these kinds it is `told` already."""
        self._observer = observer
        self._told = (ShutdownAsked, ShutdownComplete, *told)

    def on(self, event: Event) -> None:
        """Pass it on."""
        if not isinstance(event, self._told):
            self._observer.on(event)
