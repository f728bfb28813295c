"""A program of Windlass as users start it, watched from outside."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from benchmarks import processes
from windlass.worker.birth import die_with_parent

ROOT = Path(__file__).parents[1]
STOP_WITHIN = 40.0


class ProgramFailed(Exception):
    """The program ended, or stopped getting anywhere."""


class Program:
    """It runs, with all the processes that it starts."""

    def __init__(self, name: str, process: asyncio.subprocess.Process) -> None:
        self.name = name
        self._process = process

    def check(self) -> None:
        """Raise if it ended."""
        if self._process.returncode is not None:
            raise ProgramFailed(f"the {self.name} ended with {self._process.returncode}")

    async def line(self) -> bytes:
        """What it says next on its standard output, if that was asked for."""
        assert self._process.stdout is not None
        return await self._process.stdout.readline()

    @property
    def pid(self) -> int:
        """Its first process."""
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


def with_redis(url: str | None) -> dict[str, str]:
    """What tells a program where Redis is, or that there is none."""
    return {"REDIS_URL": "", "WINDLASS_REDIS": url or ""}


@asynccontextmanager
async def program(
    *words: str, env: Mapping[str, str], log: int | None = None, heard: bool = False
) -> AsyncIterator[Program]:
    """Start `windlass` with these words, and end it in good order; `heard` to read what it says."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "windlass.cli", *words),
        env={**os.environ, **env},
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE if heard else None,
        stderr=log,
        start_new_session=True,
        preexec_fn=die_with_parent,
    )
    try:
        yield Program(words[0], process)
    finally:
        await _end(words[0], process)


async def _end(name: str, process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.send_signal(signal.SIGTERM)
    try:
        await asyncio.wait_for(process.wait(), STOP_WITHIN)
    except TimeoutError:
        process.kill()
        await process.wait()
        raise ProgramFailed(f"the {name} did not end within {STOP_WITHIN:g} s") from None
