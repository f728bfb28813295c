"""Servers that stand until the test ends: started for real, and ended by their process ids."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp
import psutil

from tests.cli.terminal import PATIENCE, Terminal
from tests.waiting import until

# `windlass`, that ends with the tests however they end.
START = """
import ctypes, signal, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
from windlass.cli import main
main()
"""
ADD = {"type": "add_numbers", "payload": {"x": 2, "y": 3}}


class Standing:
    """One `windlass up` or `windlass serve`, what it said, and a client that talks to it."""

    def __init__(self, terminal: Terminal, words: tuple[str, ...], env: dict[str, str]) -> None:
        self._out, self._err = (terminal.folder / f"{words[0]}.{name}" for name in ("out", "err"))
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self._process = subprocess.Popen(
                [sys.executable, "-c", START, *words, "--port", "0", "--json"],
                cwd=terminal.folder,
                env={**terminal.env, **env},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        self.pid = self._process.pid
        self.client = aiohttp.ClientSession()

    @property
    def url(self) -> str:
        """Where it is, as it told."""
        return str(json.loads(self._out.read_text())["url"])

    async def ready(self, workers: int = 0) -> None:
        """Wait until it listens, and until so many workers have begun."""
        await until(lambda: self._ended or self._out.read_text(), at_most=PATIENCE)
        assert not self._ended, self._err.read_text()
        await until(lambda: len(self.said("worker started")) >= workers, at_most=PATIENCE)

    def said(self, message: str) -> list[dict[str, Any]]:
        """The log lines with this message."""
        return [line for line in self.lines() if line["msg"] == message]

    def lines(self) -> list[dict[str, Any]]:
        """The log."""
        found = []
        for line in self._err.read_text().splitlines():
            with suppress(ValueError):
                found.append(json.loads(line))
        return found

    def children(self) -> list[psutil.Process]:
        """The processes that it started itself."""
        return psutil.Process(self.pid).children()

    def family(self) -> list[psutil.Process]:
        """The processes that it started, and theirs."""
        return psutil.Process(self.pid).children(recursive=True)

    async def ask(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        """One request: its status, and its JSON or text."""
        async with self.client.request(method, f"{self.url}{path}", json=body) as answer:
            whole = await answer.read()
        text = whole.decode()
        return answer.status, json.loads(text) if "json" in answer.content_type else text

    async def finished(self, job_id: str) -> dict[str, Any]:
        """The job, once it is over."""
        found: dict[str, Any] = {}

        async def over() -> bool:
            found.update((await self.ask("GET", f"/jobs/{job_id}"))[1])
            return found["completed_at"] is not None

        await until(over, at_most=PATIENCE)
        return found

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self._process.send_signal(number)

    async def ended(self) -> int:
        """Wait for its end."""
        return await asyncio.to_thread(self._process.wait, PATIENCE)

    async def close(self) -> None:
        """Leave nothing behind."""
        await self.client.close()
        self._process.terminate()
        try:
            await self.ended()
        finally:
            self._process.kill()
            self._process.wait()

    @property
    def _ended(self) -> bool:
        return self._process.poll() is not None


@asynccontextmanager
async def standing(
    terminal: Terminal, *words: str, workers: int = 0, **env: str
) -> AsyncIterator[Standing]:
    """A server on a free port while the block runs."""
    server = Standing(terminal, words, env)
    try:
        await server.ready(workers)
        yield server
    finally:
        await server.close()


def gone(processes: list[psutil.Process]) -> Callable[[], bool]:
    """Whether all of these have ended."""

    def gone() -> bool:
        return not any(_lives(each) for each in processes)

    return gone


def _lives(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def secret_of(folder: Path) -> Path:
    """Where the secret of an embedded store is kept."""
    return folder / ".windlass" / "secret"
