"""Works on chunks of attempts in helper processes, which are kept for the next ones."""

from __future__ import annotations

import os
import selectors
import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from windlass.clock import Clock, SystemClock
from windlass.worker.child_process import environment
from windlass.worker.helper_wire import Failure, Parcel, opened, packed, receive, send
from windlass.worker.trial import Cost, refuse_stopped, worked_here, worth_helpers, worth_trying

MODULE = "windlass.worker.helper"
# Half of what a helper waits before it ends, so that none ends as work is sent to it.
KEPT = 30.0
# How soon it shows that an attempt is to stop.
LOOK = 0.05


class HelperDied(Exception):
    """A process that worked on a chunk died."""


class Trace(Exception):
    """Where in the helper a chunk failed."""

    def __str__(self) -> str:
        """The trace as the helper saw it."""
        return f"\n{self.args[0]}"


class Helper:
    """One helper process, as its worker sees it."""

    def __init__(self) -> None:
        """Start it."""
        self.end, theirs = socket.socketpair()
        self.used = 0.0
        with theirs:
            fd = theirs.fileno()
            self._process = subprocess.Popen(  # noqa: S603 — ourselves
                [sys.executable, "-m", MODULE, str(fd), str(os.getpid())],
                stdin=subprocess.DEVNULL,
                pass_fds=[fd],
                env=environment(1),
            )

    @property
    def alive(self) -> bool:
        """Whether it is still there."""
        return self._process.poll() is None

    def give(self, parcel: Parcel) -> None:
        """Send it a chunk."""
        try:
            send(self.end, parcel)
        except ConnectionError:
            raise HelperDied(f"a helper died with code {self.kill()}") from None

    def answer(self) -> Any:
        """What the chunk came to; raises what it raised."""
        try:
            said = opened(receive(self.end))
        except EOFError:
            raise HelperDied(
                f"a process that worked on a chunk died with code {self.kill()}"
            ) from None
        if isinstance(said, Failure):
            raise said.error from Trace(said.trace)
        return said.value

    def kill(self) -> int:
        """End it, whatever it does; answer with its exit code."""
        self._process.kill()
        self.end.close()
        return self._process.wait()


class HelperProcesses:
    """The helpers of one worker. As many as threads are granted to the attempts that use them."""

    def __init__(self, clock: Clock | None = None) -> None:
        """Begin without any."""
        self._clock = clock or SystemClock()
        self._idle: list[Helper] = []
        self._lock = threading.Lock()
        self._closed = False

    def share(
        self,
        work: Callable[[Any], Any],
        chunks: Sequence[Any],
        at_once: int,
        stopped: Callable[[], bool],
    ) -> list[Any]:
        """Have so many chunks worked on at once; see `Helpers`."""
        here = self._here(work, chunks, at_once, stopped) if worth_trying(chunks, at_once) else []
        return here + self._together(work, chunks[len(here) :], at_once, stopped)

    def close(self) -> None:
        """End those that have nothing to do; the others end with what they do."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for helper in idle:
            helper.kill()

    def _here(
        self,
        work: Callable[[Any], Any],
        chunks: Sequence[Any],
        at_once: int,
        stopped: Callable[[], bool],
    ) -> list[Any]:
        def worth(cost: Cost, items: int) -> bool:
            return worth_helpers(cost, items, at_once, ready=self._ready(at_once))

        return worked_here(work, chunks, self._clock, worth, stopped)

    def _together(
        self,
        work: Callable[[Any], Any],
        chunks: Sequence[Any],
        at_once: int,
        stopped: Callable[[], bool],
    ) -> list[Any]:
        team = [self._take() for _ in range(min(at_once, len(chunks)))]
        try:
            results = _shared(work, chunks, team, stopped)
        except BaseException:
            for helper in team:
                helper.kill()
            raise
        self._keep(team)
        return results

    def _take(self) -> Helper:
        while True:
            with self._lock:
                if not self._idle:
                    break
                helper = self._idle.pop()
            if self._fresh(helper) and helper.alive:
                return helper
            helper.kill()
        return Helper()

    def _ready(self, at_once: int) -> bool:
        with self._lock:
            return sum(map(self._fresh, self._idle)) >= at_once

    def _fresh(self, helper: Helper) -> bool:
        return self._clock.monotonic() - helper.used < KEPT

    def _keep(self, team: Sequence[Helper]) -> None:
        now = self._clock.monotonic()
        for helper in team:
            helper.used = now
        with self._lock:
            if not self._closed:
                self._idle += team
                return
        for helper in team:
            helper.kill()


def _shared(
    work: Callable[[Any], Any],
    chunks: Sequence[Any],
    team: Sequence[Helper],
    stopped: Callable[[], bool],
) -> list[Any]:
    """Give each helper a chunk, and another when it is done."""
    results: list[Any] = [None] * len(chunks)
    waiting = deque(enumerate(chunks))
    with selectors.DefaultSelector() as busy:

        def give(helper: Helper) -> None:
            if waiting:
                at, chunk = waiting.popleft()
                helper.give(packed((work, chunk)))
                busy.register(helper.end, selectors.EVENT_READ, (helper, at))

        for helper in team:
            give(helper)
        while busy.get_map():
            refuse_stopped(stopped)
            for key, _ in busy.select(LOOK):
                helper, at = key.data
                busy.unregister(helper.end)
                results[at] = helper.answer()
                give(helper)
    return results
