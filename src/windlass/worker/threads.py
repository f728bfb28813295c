"""Runs plain functions in threads, at most so many at once."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from functools import partial
from typing import TypeAlias

from windlass.core.outcome import Ending
from windlass.worker.attempt import Attempt, Told
from windlass.worker.line import Line
from windlass.worker.pools import Threads
from windlass.worker.runner import run_in_thread, timed_out
from windlass.worker.ways import Gear

Ended: TypeAlias = tuple[Attempt, Ending, float]

# Threads that outlive their timeout are replaced up to this part of the pool; beyond, it shrinks.
SPARE = 4


class InThreads:
    """The way of running plain functions; see `Way`.

    A thread cannot be stopped. One that outlives its timeout is left behind: its attempt fails at
    the deadline, its slot stays taken until it really ends.
    """

    def __init__(self, gear: Gear, threads: Threads, limit: int) -> None:
        """Begin with an idle pool of up to `limit` threads."""
        self.line = Line()
        self.count = 0
        self._gear = gear
        self._threads = threads
        self._limit = limit
        self._loop = asyncio.get_running_loop()
        self._running: dict[Attempt, asyncio.TimerHandle | None] = {}
        self._ended: deque[Ended] = deque()
        self._called = False
        self._left_behind: set[Attempt] = set()

    @property
    def capacity(self) -> int:
        """The limit, and a replacement for each thread left behind, while there are spare ones."""
        return self._limit + min(len(self._left_behind), max(1, self._limit // SPARE))

    def feed(self) -> None:
        """Hand claims to threads while there are any."""
        now = self._gear.clock.monotonic()
        claims = self.line.claims
        while claims and self.count < self.capacity and self._gear.may_start(now):
            if not self._gear.slots.take():
                return
            self.count += 1
            self._start(self._gear.begin(self.line.claims.popleft(), now))

    def running(self) -> Iterable[Attempt]:
        """The attempts that run."""
        return list(self._running)

    def tell(self, attempt: Attempt, why: Told) -> None:
        """Let the handler see it in `ctx.cancelled`; nothing more can be done to a thread."""
        if attempt.told is None:
            attempt.told = why

    async def close(self) -> None:
        """Let the threads go; those left behind end with the process."""
        for timer in self._running.values():
            if timer is not None:
                timer.cancel()
        self._threads.close()

    def _start(self, attempt: Attempt) -> None:
        timeout = attempt.timeout
        self._running[attempt] = (
            None
            if timeout is None
            else self._loop.call_later(timeout, self._leave_behind, attempt, timeout)
        )
        self._threads.submit(partial(self._run, attempt), self.count)

    def _run(self, attempt: Attempt) -> None:
        """Run it, on one of the threads; what ended is collected once for many."""
        monotonic = self._gear.clock.monotonic
        attempt.started = monotonic()
        ending = run_in_thread(attempt)
        self._ended.append((attempt, ending, monotonic()))
        if not self._called:
            self._called = True
            try:
                self._loop.call_soon_threadsafe(self._collect)
            except RuntimeError:
                return  # the loop is closed: the worker has ended without this thread

    def _collect(self) -> None:
        self._called = False  # before looking: whoever comes later calls again
        while self._ended:
            attempt, ending, ended = self._ended.popleft()
            timer = self._running.pop(attempt)
            if timer is not None:
                timer.cancel()
            self._left_behind.discard(attempt)
            self._gear.ended(self, attempt, ending, ended)
        self.feed()

    def _leave_behind(self, attempt: Attempt, timeout: float) -> None:
        self._collect()
        if attempt not in self._running:
            return  # it ended in time, and only now came the turn to see it
        self.tell(attempt, Told.STOP)
        self._left_behind.add(attempt)
        self._gear.abandon(
            attempt, timed_out(timeout, "; its thread cannot be stopped and was left behind")
        )
        self.feed()
        self._gear.on_low()  # its replacement may be free
