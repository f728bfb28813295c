"""A worker as users start it: a supervisor and its processes, watched from outside."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from benchmarks import processes
from benchmarks.sites import Site
from windlass.worker.child import die_with_parent

ROOT = Path(__file__).parents[1]
STOP_WITHIN = 40.0


class WorkerFailed(Exception):
    """The worker ended, or stopped getting anywhere."""


class Fleet:
    """A running `windlass worker`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    def check(self) -> None:
        """Raise if it ended."""
        if self._process.returncode is not None:
            raise WorkerFailed(f"the worker ended with {self._process.returncode}")

    @property
    def pid(self) -> int:
        """The supervisor."""
        return self._process.pid

    @property
    def size(self) -> int:
        """How many processes it is."""
        return len(processes.family(self.pid))

    def cpu(self) -> float:
        """Seconds that its processes have worked so far."""
        return processes.cpu(self.pid)

    def memory(self) -> float:
        """Bytes that would be free without it."""
        return processes.memory(self.pid)


@asynccontextmanager
async def fleet(site: Site, size: int = 1) -> AsyncIterator[Fleet]:
    """Start a worker, and end it in good order."""
    command = [sys.executable, "-m", "windlass.cli", "worker", "--app", "benchmarks.app:app"]
    process = await asyncio.create_subprocess_exec(
        *command,
        f"--processes={size}",
        env={**os.environ, "WINDLASS_STORE": site.url, "WINDLASS_LOG": "warning"},
        cwd=ROOT,
        start_new_session=True,
        preexec_fn=die_with_parent,
    )
    try:
        yield Fleet(process)
    finally:
        await _end(process)


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.send_signal(signal.SIGTERM)
    try:
        await asyncio.wait_for(process.wait(), STOP_WITHIN)
    except TimeoutError:
        process.kill()
        await process.wait()
        raise WorkerFailed(f"the worker did not end within {STOP_WITHIN:g} s") from None
