"""An isolated process, as its worker sees it."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress

from windlass.core.errors import BadInput
from windlass.starting import program
from windlass.worker.isolated_wire import (
    LENGTH,
    FromChild,
    Ready,
    ToChild,
    Unready,
    framed,
    read_from_child,
)

MODULE = "windlass.worker.isolated_child"
# Libraries that compute in threads of their own read how many from here, once, when imported.
THREAD_COUNTS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "RAYON_NUM_THREADS",
)


class ChildDied(Exception):
    """The process ended without a word."""


class NotReady(Exception):
    """The process cannot run handlers, and says why."""


class Child:
    """One isolated process: a socket to talk over, and a pid to kill."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        threads: int,
    ) -> None:
        """Wrap a process that was just started."""
        self.threads = threads
        self._process = process
        self._reader = reader
        self._writer = writer

    async def ready(self) -> None:
        """Wait until it has imported the application."""
        match await self.receive():
            case Ready():
                return
            case Unready(error):
                raise NotReady(error)
            case other:
                raise NotReady(f"it began with {other!r}")

    @property
    def alive(self) -> bool:
        """Whether it was still there when last seen."""
        return self._process.returncode is None and not self._reader.at_eof()

    def send(self, message: ToChild) -> None:
        """Say something."""
        self._writer.write(framed(message))

    async def receive(self) -> FromChild:
        """Hear the next thing; raises `ChildDied` if there is none."""
        try:
            [length] = LENGTH.unpack(await self._reader.readexactly(LENGTH.size))
            return read_from_child(await self._reader.readexactly(length))
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise ChildDied from error

    def terminate(self) -> None:
        """Ask it to stop what it does."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """Stop it."""
        self._signal(signal.SIGKILL)

    async def end(self) -> str:
        """Wait for its end, which is near or brought about; answer with how it came."""
        self._writer.close()
        if self._process.returncode is None:
            try:
                async with asyncio.timeout(1.0):
                    await self._process.wait()
            except TimeoutError:
                self.kill()
        return _cause(await self._process.wait())

    def _signal(self, number: signal.Signals) -> None:
        # Not by the process object, which would wait for it first and so hide how it ended.
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self._process.pid, number)


async def start_child(app: str | None, threads: int) -> Child:
    """Start an isolated process that imports `app`."""
    if app is None:
        raise BadInput(
            "a handler with isolation='process' runs in a process that imports the application;"
            " start the worker with --app module:name"
        )
    ours, theirs = socket.socketpair()
    with theirs:
        process = await asyncio.create_subprocess_exec(
            *program(
                MODULE,
                f"--app={app}",
                f"--fd={theirs.fileno()}",
                f"--parent={os.getpid()}",
            ),
            stdin=asyncio.subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            env=environment(threads),
        )
    reader, writer = await asyncio.open_unix_connection(sock=ours)
    return Child(process, reader, writer, threads)


def environment(threads: int) -> Mapping[str, str]:
    """What a process needs to import what this one can, and to compute in so many threads."""
    path = os.pathsep.join(entry for entry in sys.path if entry)
    return {**os.environ, "PYTHONPATH": path, **dict.fromkeys(THREAD_COUNTS, str(threads))}


def _cause(code: int) -> str:
    if code >= 0:
        return f"it exited with code {code}"
    try:
        return f"it was killed by signal {-code} ({signal.Signals(-code).name})"
    except ValueError:
        return f"it was killed by signal {-code}"
