"""Virtual time: a heap of what happens next, and processes whose parts share one fate.

Nothing here waits. Time jumps from one event to the next, so that a minute of a fleet's life takes
as long as its events do, and the same seed brings the same events in the same order.
"""

from __future__ import annotations

import asyncio
from asyncio import _set_running_loop
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from contextvars import Context
from heapq import heappop, heappush
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")

Act: TypeAlias = Callable[..., Any]
Args: TypeAlias = tuple[Any, ...]

# So many callbacks of one process in one instant are an endless loop.
MOST_AT_ONCE = 20_000
# A coroutine that is told so may begin to wait for something else; so often it is told again.
TELLINGS = 100


class Over(BaseException):
    """The world is over."""


class Spins(AssertionError):
    """A process does something again and again without letting time pass."""


class Handle:
    """By this a callback that waits for its turn may be cancelled."""

    __slots__ = ("gone", "time")

    def __init__(self, time: float) -> None:
        self.time = time
        self.gone = False

    def cancel(self) -> None:
        """Do not call it."""
        self.gone = True

    def cancelled(self) -> bool:
        """Whether it will not be called."""
        return self.gone

    def when(self) -> float:
        """When it is called."""
        return self.time

    def call(self, callback: Act, args: Args) -> None:
        """Call it, unless it was cancelled."""
        if not self.gone:
            callback(*args)


class Kernel:
    """The heap, and the time of the event that happens now."""

    def __init__(self) -> None:
        self.now = 0.0
        self.fatal: BaseException | None = None  # what ends the world, wherever it was raised
        self._entered: Loop | None = None
        self._heap: list[tuple[float, int, Loop | None, Act, Args, Handle | None]] = []
        self._pushed = 0

    def at(self, delay: float, act: Act, *args: Any) -> None:
        """Do something to the world after a while."""
        self.push(None, self.now + delay, act, args)

    def push(
        self, loop: Loop | None, when: float, act: Act, args: Args, handle: Handle | None = None
    ) -> None:
        """Have something done, in a process or outside of all, unless its handle is gone."""
        self._pushed = number = self._pushed + 1
        heappush(self._heap, (when, number, loop, act, args, handle))

    def run(self, until: float, enough: Callable[[], bool] = lambda: False) -> None:
        """Let things happen until then, until it is enough, or until nothing happens any more."""
        try:
            self._run(until, enough)
        finally:
            self.leave()

    def enter(self, loop: Loop) -> None:
        """Let a loop be the running one, until another is; changing it takes a while."""
        if self._entered is not loop:
            self._entered = loop
            _set_running_loop(loop)

    def leave(self) -> None:
        """Let none be the running one."""
        self._entered = None
        _set_running_loop(None)

    def _run(self, until: float, enough: Callable[[], bool]) -> None:
        heap = self._heap
        while heap and heap[0][0] <= until and not enough():
            when, _, loop, act, args, handle = heappop(heap)
            if handle is not None and handle.gone:
                continue
            self.now = max(when, self.now)
            if loop is None:
                act(*args)
            else:
                loop.enter(act, args, handle)
            if self.fatal is not None:
                raise self.fatal


class Task(asyncio.Task[T]):
    """A task that sets keep in the same place in every run; by its address they would not."""

    def __init__(self, coro: Coroutine[Any, Any, T], *, loop: Loop, **rest: Any) -> None:
        loop.tasks_made += 1
        self._number = loop.tasks_made
        super().__init__(coro, loop=loop, **rest)

    def __hash__(self) -> int:
        return self._number


class Loop(asyncio.AbstractEventLoop):  # what it lacks, nothing that is simulated asks for
    """The event loop of one thread of one simulated process."""

    def __init__(self, kernel: Kernel, process: Any = None, offset: float = 0.0) -> None:
        self.process = process
        self.tasks_made = 0
        self.dead = False
        self.troubles: list[dict[str, Any]] = []
        self._kernel = kernel
        self._offset = offset
        self._ready: deque[tuple[Act, Args]] = deque()
        self._tasks: list[Task[Any]] = []
        self._frozen = 0
        self._held: list[tuple[Act, Args, Handle | None]] = []
        self._signals: dict[int, tuple[Callable[..., Any], tuple[Any, ...]]] = {}

    # --- what the kernel does to it ---------------------------------------------------------------

    def enter(self, act: Act, args: Args, handle: Handle | None = None) -> None:
        """Do something, and whatever it leads to at this instant."""
        if self.dead:
            return
        if self._frozen:
            self._held.append((act, args, handle))
            return
        self._kernel.enter(self)
        act(*args)
        ready, left = self._ready, MOST_AT_ONCE
        while ready and not self.dead:
            act, args = ready.popleft()
            act(*args)
            left -= 1
            if not left:
                raise Spins(f"{self.process} calls {act!r} with {args!r} without end")

    def start(self, work: Coroutine[Any, Any, Any]) -> None:
        """Begin a task from outside."""
        self.post(self._begin, work)

    def _begin(self, work: Coroutine[Any, Any, Any]) -> None:
        self.create_task(work)

    def post(self, act: Act, *args: Any) -> None:
        """Do it on this loop, at this instant but not within the present call."""
        self._kernel.push(self, self._kernel.now, act, args)

    def post_in(self, delay: float, act: Act, *args: Any) -> None:
        """Do it on this loop after a while."""
        self._kernel.push(self, self._kernel.now + delay, act, args)

    def freeze(self) -> None:
        """Hold everything back."""
        self._frozen += 1

    def thaw(self) -> None:
        """Let go what was held back, in its order."""
        self._frozen -= 1
        if not self._frozen:
            held, self._held = self._held, []
            for act, args, handle in held:
                self._kernel.push(self, self._kernel.now, act, args, handle)

    def kill(self) -> None:
        """Never run anything again: no cleaning up, no farewell."""
        self.dead = True
        self._ready.clear()
        self._held.clear()

    def signal(self, number: int) -> None:
        """Send a signal to the process."""
        if number in self._signals:
            callback, args = self._signals[number]
            self.post(callback, *args)

    def end(self) -> None:
        """Unwind what never ended, now that nobody looks any more: no frame is left to clean up."""
        self.kill()
        self._kernel.enter(self)
        for task in self._tasks:
            if not task.done():
                task._log_destroy_pending = False  # type: ignore[attr-defined]
                _unwind(task.get_coro())
        self._kernel.leave()

    # --- what asyncio asks of it ------------------------------------------------------------------

    def time(self) -> float:
        """Seconds on the monotonic clock of its machine."""
        return self._kernel.now + self._offset

    def call_soon(  # type: ignore[override]
        self, callback: Act, *args: Any, context: Context | None = None
    ) -> Handle | None:
        """Call it at this instant, after what waits already.

        Tasks and futures give a context, and never cancel; whoever gives none may.
        """
        if context is not None:
            self._ready.append((context.run, (callback, *args)))
            return None
        handle = Handle(self.time())
        self._ready.append((handle.call, (callback, args)))
        return handle

    def call_soon_threadsafe(  # type: ignore[override]
        self, callback: Act, *args: Any, context: Context | None = None
    ) -> None:
        """Call it from another thread of the process."""
        act, args = (callback, args) if context is None else (context.run, (callback, *args))
        self._kernel.push(self, self._kernel.now, act, args)

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Act, *args: Any, context: Context | None = None
    ) -> Handle:
        """Call it after a while."""
        act, args = (callback, args) if context is None else (context.run, (callback, *args))
        handle = Handle(self.time() + delay)
        self._kernel.push(self, self._kernel.now + delay, act, args, handle)
        return handle

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> Handle:
        """Call it at a time of this loop's clock."""
        return self.call_later(when - self.time(), callback, *args, context=context)

    def create_future(self) -> asyncio.Future[Any]:
        """A future of this loop."""
        return asyncio.Future(loop=self)

    def create_task(  # type: ignore[override]
        self, coro: Coroutine[Any, Any, T], *, name: str | None = None, context: Any = None
    ) -> Task[T]:
        """A task of this loop."""
        task = Task(coro, loop=self, name=name, context=context)
        self._tasks.append(task)
        return task

    def add_signal_handler(  # type: ignore[override]
        self, sig: int, callback: Callable[..., Any], *args: Any
    ) -> None:
        """Heed a signal."""
        self._signals[sig] = (callback, args)

    def remove_signal_handler(self, sig: int) -> bool:
        """Heed it no more."""
        return self._signals.pop(sig, None) is not None

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Remember what nobody waited for."""
        self.troubles.append(context)

    def get_debug(self) -> bool:
        """No."""
        return False

    def is_running(self) -> bool:
        """While it lives."""
        return not self.dead

    def is_closed(self) -> bool:
        """Once it is dead."""
        return self.dead


def _unwind(coroutine: Any) -> None:
    with suppress(BaseException):
        for _ in range(TELLINGS):
            coroutine.throw(Over())
