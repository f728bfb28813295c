"""The inside of an isolated process: runs one attempt after the other for its worker.

A program of its own, `windlass.worker.isolated_child`. The main thread runs handlers, so that a
signal can interrupt them; another one listens, and ends the process when the worker is gone.
"""

from __future__ import annotations

import argparse
import importlib
import os
import resource
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from queue import SimpleQueue
from types import FrameType, TracebackType
from typing import Any, NoReturn, Protocol

from windlass.clock import Clock, SystemClock
from windlass.core.claim import Claim
from windlass.core.errors import BadInput
from windlass.core.outcome import Cancelled, Ending
from windlass.core.settle import Settlement, done
from windlass.executors.base import Executor, Registry
from windlass.executors.context import Context
from windlass.store.base import Effects
from windlass.worker.attempt import Attempt
from windlass.worker.isolated_wire import (
    LENGTH,
    Advance,
    Committed,
    File,
    Flush,
    Flushed,
    FromChild,
    Ready,
    Run,
    Said,
    Unready,
    framed,
    over,
    read_to_child,
)
from windlass.worker.parallel import HelperProcesses
from windlass.worker.parent import die_with
from windlass.worker.runner import run_plain
from windlass.worker.wording import error_text, message_text


class Application(Protocol):
    """What an isolated process needs of the application it imports."""

    registry: Registry

    def effects(self) -> Effects:
        """Where transactions are had."""
        ...


class Stopped(BaseException):
    """The worker asked for an end; no handler shall take this for an error and go on."""


class Pipe:
    """The socket to the worker."""

    def __init__(self, end: socket.socket) -> None:
        """Take the open socket."""
        self._end = end
        self._lock = threading.Lock()

    def say(self, message: FromChild) -> None:
        """Send a message whole, from whichever thread."""
        with self._lock:
            self._end.sendall(framed(message))

    def hear(self) -> bytes:
        """The next message; empty when the worker is gone."""
        head = self._read(LENGTH.size)
        return self._read(LENGTH.unpack(head)[0]) if head else b""

    def _read(self, size: int) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            part = self._end.recv(size - len(parts))
            if not part:
                return b""
            parts += part
        return bytes(parts)


class PipeDesk:
    """The desk of the attempt that runs here; see `Desk`."""

    def __init__(self, child: IsolatedChild, attempt: Attempt) -> None:
        """Report about `attempt`."""
        self._child = child
        self._attempt = attempt

    def cancelled(self) -> bool:
        """Whether the attempt is to stop."""
        return self._child.stopped

    def progress(self, fraction: float, message: str | None) -> None:
        """Pass on how far it has come."""
        self._child.pipe.say(Advance(fraction, None if message is None else message_text(message)))

    def log(self, level: str, message: str) -> None:
        """Pass on a log line."""
        self._child.pipe.say(Said(level, message_text(message)))

    def keep(self, name: str, media_type: str, content: bytes) -> None:
        """Pass on a file."""
        self._child.pipe.say(File(name, media_type, content))

    def share(self, work: Callable[[Any], Any], chunks: Sequence[Any], at_once: int) -> list[Any]:
        """Have helpers of this process work on the chunks; a signal interrupts."""
        return self._child.helpers.share(work, chunks, at_once, self.cancelled)

    def transaction(self, result: Callable[[], Any]) -> PipeBlock:
        """A block that settles the attempt."""
        return PipeBlock(self._child, self._attempt, result)


class PipeBlock:
    """A transaction in an isolated process: always on a connection of its own."""

    def __init__(self, child: IsolatedChild, attempt: Attempt, result: Callable[[], Any]) -> None:
        """Nothing begins before the block is entered."""
        self._child = child
        self._attempt = attempt
        self._result = result
        self._block: AbstractContextManager[Any] | None = None

    def __enter__(self) -> Any:
        """Begin, once all that was said so far is kept."""
        self._child.flush()
        self._block = self._child.app.effects().blocking(self._settlement)
        return self._block.__enter__()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        """Settle and commit, or roll back."""
        if self._block is None:
            raise RuntimeError("a block that was not entered cannot end")
        hushed = self._block.__exit__(kind, error, trace)
        if kind is None:
            self._child.pipe.say(Committed())
        return hushed

    async def __aenter__(self) -> Any:
        """Refuse: the loop of an isolated coroutine is its own, and ends with it."""
        raise BadInput("with isolation='process' it is `with ctx.transaction()`")

    async def __aexit__(self, *_: object) -> None:
        """Never reached."""

    def _settlement(self) -> Settlement:
        attempt = self._attempt
        result = attempt.executor.encode(self._result())
        return done(attempt.claim, result, attempt.started, self._child.clock.monotonic())


class IsolatedChild:
    """Runs what it is sent."""

    def __init__(self, pipe: Pipe, app: Application, clock: Clock) -> None:
        """Begin idle."""
        self.pipe = pipe
        self.app = app
        self.clock = clock
        self.stopped = False
        self.helpers = HelperProcesses()
        self._running = False
        self._runs: SimpleQueue[Run] = SimpleQueue()
        self._flushed: SimpleQueue[None] = SimpleQueue()

    def serve(self) -> NoReturn:
        """Run attempts until the worker is gone."""
        signal.signal(signal.SIGTERM, self._stop)
        threading.Thread(target=self._listen, name="windlass-listen", daemon=True).start()
        self.pipe.say(Ready())
        while True:
            self._run(self._runs.get())

    def flush(self) -> None:
        """Have the worker keep all that was said so far."""
        self.pipe.say(Flush())
        self._flushed.get()

    def _run(self, run: Run) -> None:
        attempt = self._attempt(run)
        with memory_capped(run.memory_limit):
            ending = self._ending(attempt)
        self.pipe.say(over(ending, attempt.started, self.clock.monotonic()))

    def _attempt(self, run: Run) -> Attempt:
        executor = self._executor(run.claim)
        attempt = Attempt(run.claim, executor, self.clock.monotonic())
        if executor.wants_context:
            attempt.context = Context(run.claim, PipeDesk(self, attempt), run.threads)
        return attempt

    def _executor(self, claim: Claim) -> Executor:
        return self.app.registry.get(claim.type)

    def _ending(self, attempt: Attempt) -> Ending:
        try:
            self._running = True
            # Asked after that: a signal either came before and is seen here, or interrupts.
            ending = Cancelled() if self.stopped else run_plain(attempt)
            self._running = False
        except Stopped:
            return Cancelled()
        return ending

    def _stop(self, _signal: int, _frame: FrameType | None) -> None:
        self.stopped = True
        if self._running:
            self._running = False
            raise Stopped

    def _listen(self) -> None:
        while text := self.pipe.hear():
            match read_to_child(text):
                case Run() as run:
                    self._runs.put(run)
                case Flushed():
                    self._flushed.put(None)
        os._exit(1)  # without its worker nobody may act upon the claim


@contextmanager
def memory_capped(limit: int | None) -> Iterator[None]:
    """Let the process use no more address space than that, while the block runs."""
    if limit is None:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def load(target: str) -> Any:
    """The object that `module:name` means."""
    module, _, name = target.partition(":")
    return getattr(importlib.import_module(module), name or "app")


def main() -> None:
    """Import the application and serve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--app", required=True)
    parser.add_argument("--fd", type=int, required=True)
    parser.add_argument("--parent", type=int, required=True)
    asked = parser.parse_args()
    die_with(asked.parent)
    # An interrupt from the keyboard is for the worker, who decides what becomes of its attempts.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pipe = Pipe(socket.socket(fileno=asked.fd))
    try:
        app = load(asked.app)
    except Exception as error:  # noqa: BLE001 — whatever an import raises is for the worker to tell
        pipe.say(Unready(f"cannot import {asked.app}: {error_text(error)}"))
        return
    IsolatedChild(pipe, app, SystemClock()).serve()
