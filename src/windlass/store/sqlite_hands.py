"""Who carries out commands on a database: a thread of its own, or the caller itself."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from windlass.core.errors import Busy, StoreAway
from windlass.running import running_loop
from windlass.store.sqlite_commands import Command, Errand, Work, deliver

A = TypeVar("A")
T = TypeVar("T")

# More would keep other processes waiting, and gain nothing.
MOST_AT_ONCE = 128
# After this long without work the write-ahead log is folded back into the file.
IDLE = 2.0

INTERRUPTED = (
    "this thread is writing already, and was interrupted by what writes now, such as a signal"
    " handler; note it there, and write when the handler has returned"
)


class Performer(Protocol):
    """Carries out commands on a connection of its own; used by one thread at a time."""

    def do(self, work: Work[T]) -> T:
        """Carry out one command, and answer after its commit."""
        ...

    def perform(self, commands: Sequence[Command[Any]]) -> None:
        """Carry out several; each keeps what came of it, and nothing is raised."""
        ...

    def tidy(self) -> None:
        """Clear up after a while without work."""
        ...

    def end(self) -> None:
        """Let go of the connection."""
        ...


class Hands(Protocol):
    """Carries out commands in the order in which they are given."""

    async def do(self, work: Work[T], *, alone: bool = False) -> T:
        """Carry out one command and answer after its commit, which it may share with others."""
        ...

    def do_here(self, work: Work[T], *, alone: bool = False) -> T:
        """The same for a thread without an event loop, which has nothing to keep free."""
        ...

    def here(self, act: Callable[[A], T], what: A) -> tuple[T] | None:
        """Use the connection in such a thread; nothing is done if it would have to wait."""
        ...

    def at_once(self) -> bool:
        """Whether such a thread would be served here and now."""
        ...

    async def close(self) -> None:
        """Finish what was given, then take no more."""
        ...


class InlineHands:
    """Carries out each command at once on the caller's thread, for tests and simulations."""

    def __init__(self, performer: Performer) -> None:
        """Carry out by `performer`."""
        self._performer = performer

    async def do(self, work: Work[T], *, alone: bool = False) -> T:
        """Carry it out here and now."""
        return self.do_here(work, alone=alone)

    def do_here(self, work: Work[T], *, alone: bool = False) -> T:  # noqa: ARG002 — it always is
        """Carry it out here and now."""
        return self._performer.do(work)

    def here(self, act: Callable[[A], T], what: A) -> tuple[T] | None:
        """Act here and now."""
        return (act(what),)

    def at_once(self) -> bool:
        """Always: nobody else is there."""
        return True

    async def close(self) -> None:
        """Let go of the connection."""
        self._performer.end()


class ThreadHands:
    """A thread that takes whatever has piled up and carries it out together.

    A caller that has no event loop to keep free carries its command out itself, while the thread
    is awake and owes nobody anything: that saves changing threads, there and back.
    """

    def __init__(self, name: str, performer: Performer) -> None:
        """Start the thread when first asked."""
        self._name = name
        self._performer = performer
        self._queue: queue.SimpleQueue[Command[Any] | None] = queue.SimpleQueue()
        self._put_back: list[Command[Any] | None] = []
        self._guard = threading.Lock()  # of changes to what follows
        self._owed = 0  # commands that were given and are not carried out
        self._free = False  # when it has carried out all of them, until it has slept in between
        self._closed = False
        self._thread: threading.Thread | None = None
        self._used = False  # by a caller itself, since the thread last looked
        self._turn = threading.Lock()  # whoever has it may use the connection
        self._inside: set[int] = set()  # the callers' threads that have it, or are to have it next

    async def do(self, work: Work[T], *, alone: bool = False) -> T:
        """Queue it and wait for the commit that it is part of, or carry it out here and now."""
        loop = running_loop()
        if loop is None:
            return self.do_here(work, alone=alone)
        command = Command(work, loop, alone=alone)
        self._hand_over(command)
        return await command.delivered()

    def do_here(self, work: Work[T], *, alone: bool = False) -> T:
        """Carry it out here and now, or wait for who is before."""
        done = self.here(self._performer.do, work)
        if done is not None:
            return done[0]
        errand = Errand(work, alone=alone)
        self._hand_over(errand)
        return errand.wait()

    def here(self, act: Callable[[A], T], what: A) -> tuple[T] | None:
        """Act here and now, and answer what came of it; do nothing if somebody is before."""
        me = threading.get_ident()
        if me in self._inside:
            raise Busy(INTERRUPTED)
        nobody = self._free and not self._turn.locked()
        if not nobody:
            return None
        try:
            self._inside.add(me)
            with self._turn:
                if not self._free:  # somebody came between
                    return None
                self._used = True
                return (act(what),)
        finally:
            self._inside.discard(me)

    def at_once(self) -> bool:
        """Whether nobody is before the caller; or only itself, who must not wait for itself."""
        nobody = self._free and not self._turn.locked()
        return nobody or threading.get_ident() in self._inside

    async def close(self) -> None:
        """Finish what is queued, then end the thread."""
        with self._guard:
            self._closed, self._free = True, False
            thread, self._thread = self._thread, None
            self._queue.put(None)
        if thread is not None:
            await asyncio.to_thread(thread.join)

    def _hand_over(self, command: Command[Any]) -> None:
        with self._guard:
            self._insist_on_open()
            self._owed, self._free = self._owed + 1, False
            self._queue.put(command)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()

    def _insist_on_open(self) -> None:
        if self._closed:
            raise StoreAway("the database was closed")

    def _carried_out(self, commands: int) -> None:
        with self._guard:
            self._owed -= commands
            self._free = not self._owed and not self._closed

    def _run(self) -> None:
        try:
            while commands := self._next():
                with self._turn:
                    self._performer.perform(commands)
                self._carried_out(len(commands))
                deliver(commands)
        finally:
            with self._turn:
                self._performer.end()

    def _next(self) -> list[Command[Any]]:
        """All that waits and may share a transaction, at least one; nothing at the very end."""
        taken: list[Command[Any]] = []
        while not taken or not self._queue.empty():
            command = self._wait()
            if command is None or (taken and command.alone):
                self._put_back.append(command)
                break
            if command.given_up:
                self._carried_out(1)
                continue
            taken.append(command)
            if command.alone or len(taken) == MOST_AT_ONCE:
                break
        return taken

    def _wait(self) -> Command[Any] | None:
        if self._put_back:
            return self._put_back.pop()
        while True:
            try:
                return self._queue.get(timeout=IDLE)
            except queue.Empty:
                if self._falls_asleep():
                    return self._queue.get()

    def _falls_asleep(self) -> bool:
        """Clear up if nobody came by meanwhile; who comes next wakes the thread."""
        with self._guard:
            used, self._used = self._used, False
            if used or self._owed:
                return False
            self._free = False
        with self._turn:
            self._performer.tidy()
        return True
