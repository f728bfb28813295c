"""A real supervisor with real worker processes, and the app they run."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil

from tests.waiting import until
from windlass.core.job import Job, JobId, NewJob, State
from windlass.wiring import Windlass

APP = '''
import asyncio
import os
import signal
from pathlib import Path

from windlass import Windlass

app = Windlass()


@app.job
async def add(a: int, b: int) -> int:
    return a + b


@app.job
async def sleep(seconds: float) -> str:
    Path("slept").touch()
    await asyncio.sleep(seconds)
    return "slept"


@app.job
async def exit_at_once() -> None:
    os._exit(7)


@app.job
async def exit_once() -> str:
    """Takes its process along the first time, and is innocent from then on."""
    if not os.path.exists("exited"):
        Path("exited").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "innocent"


@app.job
async def freeze() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)
'''

RUN = """
import os, sys
from pathlib import Path
from windlass.config import load
from windlass.wiring.mustering import run_worker

given = dict(pair.split("=") for pair in sys.argv[2:])
sys.exit(run_worker(sys.argv[1], load(os.environ, Path.cwd(), given)))
"""


class Program:
    """A running supervisor: what it said, and signals for it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.pid = process.pid
        self.lines: list[dict[str, Any]] = []
        self.noise: list[str] = []
        self._process = process
        self._reading = asyncio.create_task(self._read())

    def said(self, message: str) -> list[dict[str, Any]]:
        """The log lines with this message."""
        return [line for line in self.lines if line["msg"] == message]

    async def until_said(self, message: str, times: int = 1, at_most: float = 40) -> None:
        """Wait for a log line."""
        await until(lambda: len(self.said(message)) >= times, at_most=at_most)

    def workers(self) -> list[int]:
        """The pids of its worker processes."""
        return [child.pid for child in psutil.Process(self.pid).children()]

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the supervisor."""
        self._process.send_signal(number)

    async def ended(self) -> int:
        """Wait for its end and for all it had to say."""
        code = await asyncio.wait_for(self._process.wait(), 40)
        await self._reading
        return code

    async def stop(self) -> int:
        """Stop it as an operator would."""
        self.signal(signal.SIGTERM)
        return await self.ended()

    async def kill(self) -> None:
        """End it, if it has not ended."""
        if self._process.returncode is None:
            self._process.kill()
        await self.ended()

    async def _read(self) -> None:
        assert self._process.stderr is not None
        async for line in self._process.stderr:
            try:
                self.lines.append(json.loads(line))
            except ValueError:
                self.noise.append(line.decode())


class Site:
    """A folder with an app in it, and a store."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder
        self.url = url
        self.app = Windlass(url)
        (folder / "shop.py").write_text(APP)

    @asynccontextmanager
    async def program(self, *given: str, app: str = "shop:app") -> AsyncIterator[Program]:
        """A supervisor that runs while the block does."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            RUN,
            app,
            *given,
            cwd=self.folder,
            env={**os.environ, "WINDLASS_STORE": self.url},
            stderr=asyncio.subprocess.PIPE,
        )
        program = Program(process)
        try:
            yield program
        finally:
            await program.kill()

    async def enqueue(self, type_: str, payload: str = "{}", **more: Any) -> JobId:
        """Put a job in line, whatever its type."""
        home = await self.app._homes.here()
        job = NewJob(id=home_chance(self.app), type=type_, payload=payload, **more)
        await home.store.enqueue([job])
        await home.bell.ring([job.queue])
        return job.id

    async def job(self, job_id: JobId) -> Job:
        """A job as it is now."""
        home = await self.app._homes.here()
        found = await home.store.job(job_id)
        assert found is not None
        return found

    async def until_state(self, job_id: JobId, *states: State, at_most: float = 40) -> Job:
        """Wait until the job is in one of the states."""

        async def there() -> bool:
            return (await self.job(job_id)).state in states

        await until(there, at_most=at_most)
        return await self.job(job_id)


def home_chance(app: Windlass) -> JobId:
    """A new id for a job of this app."""
    return app.storehouse.chance.job_id()
