"""A worker as users start it: a supervisor and its processes, watched from outside."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import psutil

from benchmarks.sites import Site

ROOT = Path(__file__).parents[1]
STOP_WITHIN = 40.0


class WorkerFailed(Exception):
    """The worker ended, or stopped getting anywhere."""


class Fleet:
    """A running `windlass worker`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._main = psutil.Process(process.pid)

    def check(self) -> None:
        """Raise if it ended."""
        if self._process.returncode is not None:
            raise WorkerFailed(f"the worker ended with {self._process.returncode}")

    def processes(self) -> list[psutil.Process]:
        """The supervisor and whatever it started."""
        return [self._main, *self._main.children(recursive=True)]

    def cpu(self) -> float:
        """Seconds that its processes have worked so far."""
        return sum(sum(process.cpu_times()[:2]) for process in self.processes())

    def memory(self) -> float:
        """Bytes that would be free without it: what processes share counts once."""
        return float(sum(process.memory_full_info().pss for process in self.processes()))


@asynccontextmanager
async def fleet(site: Site, processes: int = 1) -> AsyncIterator[Fleet]:
    """Start a worker, and end it in good order."""
    command = [sys.executable, "-m", "windlass.cli", "worker", "--app", "benchmarks.app:app"]
    process = await asyncio.create_subprocess_exec(
        *command,
        f"--processes={processes}",
        env={**os.environ, "WINDLASS_STORE": site.url, "WINDLASS_LOG": "warning"},
        cwd=ROOT,
        start_new_session=True,
    )
    try:
        yield Fleet(process)
    finally:
        await _end(process)


async def until(done: Callable[[], bool], running: Fleet, patience: float = 60.0) -> None:
    """Look a few times a second whether it is done; the rest of the machine is the worker's."""
    async with asyncio.timeout(patience):
        while not done():
            running.check()
            await asyncio.sleep(0.2)


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.send_signal(signal.SIGTERM)
    try:
        await asyncio.wait_for(process.wait(), STOP_WITHIN)
    except TimeoutError:
        process.kill()
        await process.wait()
        raise WorkerFailed(f"the worker did not end within {STOP_WITHIN:g} s") from None
