"""Threads and processes for handlers: the port through which a worker gets them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any, Protocol, TypeAlias

from windlass.worker.child_process import Child, start_child
from windlass.worker.parallel import HelperProcesses

Work: TypeAlias = Callable[[], None]


class Threads(Protocol):
    """Some threads that take work in the order in which it comes."""

    def submit(self, work: Work, busy: int) -> None:
        """Have it done; `busy` works are under way with this one, and `work` does not raise."""
        ...

    def close(self) -> None:
        """Let the threads end when they have done what they do."""
        ...


class Helpers(Protocol):
    """Processes that work on chunks of attempts."""

    def share(
        self,
        work: Callable[[Any], Any],
        chunks: Sequence[Any],
        at_once: int,
        stopped: Callable[[], bool],
    ) -> list[Any]:
        """Have so many chunks worked on at once; called in threads, blocks until all are done.

        Raises what the first of them raised, or `ClaimLost` once `stopped`; the rest is stopped.
        """
        ...

    def close(self) -> None:
        """End the processes."""
        ...


class Pools(Protocol):
    """Starts threads and processes."""

    def threads(self) -> Threads:
        """Threads that are started as they are needed."""
        ...

    def helpers(self) -> Helpers:
        """Helpers that are started as they are needed."""
        ...

    async def process(self, threads: int) -> Child:
        """A fresh process that runs isolated handlers with so many threads each."""
        ...


class SystemPools:
    """The machine's own."""

    def __init__(self, app: str | None = None) -> None:
        """Isolated processes import `app`, as module:name."""
        self._app = app

    def threads(self) -> OsThreads:
        """Daemon threads: one that hangs does not keep the process from ending."""
        return OsThreads()

    def helpers(self) -> HelperProcesses:
        """Processes that are kept for the next chunks."""
        return HelperProcesses()

    async def process(self, threads: int) -> Child:
        """A fresh process that runs isolated handlers with so many threads each."""
        return await start_child(self._app, threads)


class OsThreads:
    """Daemon threads, as many as were ever needed at once."""

    def __init__(self) -> None:
        """Begin without any."""
        self._works: SimpleQueue[Work | None] = SimpleQueue()
        self._started = 0

    def submit(self, work: Work, busy: int) -> None:
        """Have it done, by a new thread if there are fewer than `busy`."""
        self._works.put(work)
        if self._started < busy:
            self._started += 1
            name = f"windlass-{self._started}"
            threading.Thread(target=self._serve, name=name, daemon=True).start()

    def close(self) -> None:
        """Let every thread end once it is idle."""
        for _ in range(self._started):
            self._works.put(None)

    def _serve(self) -> None:
        while (work := self._works.get()) is not None:
            work()
