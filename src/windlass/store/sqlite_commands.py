"""Work for a database, and who hears what came of it: an event loop, or a thread that waits."""

from __future__ import annotations

import asyncio
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

from windlass.store.sqlite_session import Session

T = TypeVar("T")

# What a command does with its session, and what comes of it.
Work: TypeAlias = Callable[[Session], T]


class Command(Generic[T]):
    """Work, and its answer or error once it is done."""

    __slots__ = ("_answer", "_future", "alone", "error", "loop", "work")

    def __init__(
        self, work: Work[T], loop: asyncio.AbstractEventLoop | None = None, *, alone: bool = False
    ) -> None:
        """Answer to `loop`, or to whoever asks afterwards; `alone` shares no transaction."""
        self.work = work
        self.loop = loop
        self.alone = alone
        self.error: BaseException | None = None
        self._answer: list[T] = []
        self._future: asyncio.Future[T] | None = loop.create_future() if loop else None

    @property
    def given_up(self) -> bool:
        """Whether nobody waits for it any more."""
        return self._future is not None and self._future.cancelled()

    def settle_by(self, do: Callable[[Work[T]], T]) -> None:
        """Have it done, and keep what came of it; whoever waits hears of anything at all."""
        try:
            self.succeed(do(self.work))
        except BaseException as problem:  # noqa: BLE001
            self.fail(problem)

    def succeed(self, answer: T) -> None:
        """Keep the answer until the commit."""
        self._answer = [answer]

    def fail(self, error: BaseException) -> None:
        """Forget any answer: this is what happened."""
        self.error = error

    def result(self) -> T:
        """The answer, or the error."""
        if self.error is not None:
            raise self.error
        return self._answer[0]

    def deliver(self) -> None:
        """Tell whoever waits; on the thread of the loop."""
        if self._future is None or self._future.done():
            return
        if self.error is not None:
            self._future.set_exception(self.error)
        else:
            self._future.set_result(self._answer[0])

    async def delivered(self) -> T:
        """Wait for the answer."""
        if self._future is None:
            return self.result()
        return await self._future


class Errand(Command[T]):
    """Work for which a thread without an event loop waits."""

    __slots__ = ("_done", "_given_up")

    def __init__(self, work: Work[T], *, alone: bool = False) -> None:
        """Answer to the thread that calls `wait`."""
        super().__init__(work, alone=alone)
        self._done = threading.Event()
        self._given_up = False

    @property
    def given_up(self) -> bool:
        """Whether the thread was interrupted while it waited."""
        return self._given_up

    def deliver(self) -> None:
        """Tell the thread that waits."""
        self._done.set()

    def wait(self) -> T:
        """Wait for the answer."""
        try:
            self._done.wait()
        except BaseException:
            self._given_up = True
            raise
        return self.result()


def deliver(commands: Sequence[Command[Any]]) -> None:
    """Wake each loop once, not once a command."""
    by_loop: dict[asyncio.AbstractEventLoop, list[Command[Any]]] = defaultdict(list)
    for command in commands:
        if command.loop is None:
            command.deliver()
        else:
            by_loop[command.loop].append(command)
    for loop, theirs in by_loop.items():
        try:
            loop.call_soon_threadsafe(_tell, theirs)
        except RuntimeError:
            continue  # the loop was closed, and nobody waits


def _tell(commands: Sequence[Command[Any]]) -> None:
    for command in commands:
        command.deliver()
