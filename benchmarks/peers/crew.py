"""The workers of a side: all the processes that run its jobs."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

from benchmarks import processes
from benchmarks.peers.environment import last_line
from benchmarks.program import ROOT
from windlass.worker.birth import die_with_parent

PR_SET_CHILD_SUBREAPER = 36
GONE_WITHIN = 10.0


def adopt_orphans() -> None:
    """Have processes become ours when those that started them are killed, where the system can."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


class SideFailed(Exception):
    """A side did not do what was asked of it; the message says so in words, for its cell."""


class Crew:
    """Workers that run, each with the processes that it started."""

    def __init__(self, logs: Sequence[Path], heads: Sequence[asyncio.subprocess.Process]) -> None:
        self._logs = logs
        self._heads = heads

    def check(self) -> None:
        """Raise if one of them ended."""
        for log, head in zip(self._logs, self._heads, strict=True):
            if head.returncode is not None:
                said = last_line(log.read_bytes())
                raise SideFailed(f"a worker ended with {head.returncode}: {said}")

    def cpu(self) -> float:
        """Seconds that they have worked so far."""
        return sum(processes.cpu(head.pid) for head in self._heads)

    def memory(self) -> tuple[float, float]:
        """Bytes as each process sees them, and with shared pages counted once."""
        rss, pss = 0.0, 0.0
        for process in self._family():
            with contextlib.suppress(psutil.NoSuchProcess):
                held = process.memory_full_info()
                rss, pss = rss + held.rss, pss + held.pss
        return rss, pss

    async def kill(self) -> None:
        """SIGKILL for all of them, those first who could start others again."""
        family = self._family()
        for process in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        for head in self._heads:
            await head.wait()
        # The others are ours now, and their time counts as ours once they are waited for.
        await asyncio.to_thread(psutil.wait_procs, family, timeout=GONE_WITHIN)

    def _family(self) -> list[psutil.Process]:
        alive = [head.pid for head in self._heads if head.returncode is None]
        return [process for pid in alive for process in processes.family(pid)]


async def crew(commands: Sequence[Sequence[str]], env: Mapping[str, str], folder: Path) -> Crew:
    """Start these commands; what they say goes into files of the folder."""
    logs, heads = [], []
    for number, command in enumerate(commands):
        logs.append(folder / f"worker-{number}.log")
        with logs[-1].open("ab") as log:
            head = await asyncio.create_subprocess_exec(
                *command,
                env={**os.environ, **env, "SIDE_WORKER": str(number)},
                cwd=ROOT,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=die_with_parent,
            )
        heads.append(head)
    return Crew(logs, heads)
