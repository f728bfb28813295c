"""Runs coroutines on the worker's loop: long-lived tasks that take one claim after the other.

A task for each job would cost more than a short job itself. A runner goes from job to job without
giving way, as long as no handler waits for anything; as soon as one does, the next runner is up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextvars import Context, copy_context

from windlass.core.claim import Claim
from windlass.worker.attempt import Attempt, Told
from windlass.worker.line import Line
from windlass.worker.runner import run_on_loop
from windlass.worker.ways import Gear

# How long runners keep the loop to themselves while no handler waits for anything.
SLICE = 0.001
# What is still there when the worker closes had its time to clean up; this is for the last steps.
CLOSE_WITHIN = 0.5


class Runner:
    """One task, and the attempt it runs."""

    __slots__ = ("attempt", "task")

    def __init__(self) -> None:
        """Begin idle."""
        self.task: asyncio.Task[None] | None = None
        self.attempt: Attempt | None = None

    def spoiled(self, surroundings: Context) -> bool:
        """Whether the next job would notice the last one: in context variables, or by a cancel.

        Equal contexts are the same object unless a handler set a variable, so it costs nothing.
        """
        if self.task is None or self.task.cancelling():
            return True
        try:
            return copy_context() != surroundings
        except Exception:  # noqa: BLE001 — values of handlers compare as they like
            return True


class Runners:
    """The way of running on the loop; see `Way`."""

    def __init__(self, gear: Gear) -> None:
        """Begin without any runner; they are made as they are needed."""
        self.line = Line()
        self.count = 0
        self._gear = gear
        # In the order of their making, lest the same events end in another order the next time.
        self._runners: dict[Runner, None] = {}
        self._idle: list[asyncio.Future[None]] = []
        self._ready = 0  # runners that are about to look for a claim

    @property
    def capacity(self) -> int:
        """As many as there are slots."""
        return self._gear.slots.limit

    def feed(self) -> None:
        """See to it that somebody takes the next claim."""
        if self._ready or not self.line.claims:
            return
        slots = self._gear.slots
        if slots.running >= slots.limit:
            slots.wanted = True
            return
        self._ready += 1
        while self._idle:
            idle = self._idle.pop()
            if not idle.done():
                idle.set_result(None)
                return
        self._hire()

    def running(self) -> Iterable[Attempt]:
        """The attempts that run."""
        return [runner.attempt for runner in self._runners if runner.attempt is not None]

    def tell(self, attempt: Attempt, why: Told) -> None:
        """Cancel the handler. One that finishes nevertheless has finished."""
        if attempt.told is not None:
            return
        attempt.told = why
        for runner in self._runners:
            if runner.attempt is attempt and runner.task is not None:
                runner.task.cancel()

    async def close(self) -> None:
        """End the runners; a handler that will not end is left to the end of the process."""
        for attempt in self.running():
            self.tell(attempt, Told.STOP)
        tasks = [runner.task for runner in self._runners if runner.task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=CLOSE_WITHIN)

    def _hire(self) -> None:
        runner = Runner()
        self._runners[runner] = None
        runner.task = asyncio.get_running_loop().create_task(self._work(runner))
        runner.task.add_done_callback(lambda task: self._leave(runner, task))

    def _leave(self, runner: Runner, task: asyncio.Task[None]) -> None:
        self._runners.pop(runner, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._gear.on_fault(error)

    async def _work(self, runner: Runner) -> None:
        """Run attempt after attempt, until one of them has left its mark on this task."""
        monotonic = self._gear.clock.monotonic
        surroundings = copy_context()
        self._ready -= 1
        now = monotonic()
        rest = now + SLICE
        while True:
            claim = self._next(now)
            if claim is None:
                await self._wait()
                now = monotonic()
                rest = now + SLICE
                continue
            if not self._ready and self.line.claims:
                self.feed()
            now = await self._run(runner, claim, now)
            if runner.spoiled(surroundings):
                self.feed()
                return
            if now >= rest:
                self._ready += 1
                await asyncio.sleep(0)
                self._ready -= 1
                now = monotonic()
                rest = now + SLICE

    def _next(self, now: float) -> Claim | None:
        if not self.line.claims or not self._gear.may_start(now) or not self._gear.slots.take():
            return None
        self.count += 1
        return self.line.claims.popleft()

    async def _run(self, runner: Runner, claim: Claim, now: float) -> float:
        gear = self._gear
        attempt = runner.attempt = gear.begin(claim, now)
        try:
            ending = await run_on_loop(attempt)
        finally:
            runner.attempt = None
        ended = gear.clock.monotonic()
        gear.ended(self, attempt, ending, ended)
        return ended

    async def _wait(self) -> None:
        idle = asyncio.get_running_loop().create_future()
        self._idle.append(idle)
        await idle
        self._ready -= 1
