"""Runs handlers in processes of their own, one attempt at a time in each, which can be killed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from windlass.core.claim import Claim
from windlass.core.errors import BadInput
from windlass.core.outcome import Crashed, Ending, Failed, Snoozed
from windlass.store.records import Kept
from windlass.worker.attempt import Attempt, Told
from windlass.worker.child_process import Child, ChildDied, NotReady
from windlass.worker.isolated_wire import (
    Advance,
    Committed,
    File,
    Flush,
    Flushed,
    FromChild,
    Over,
    Run,
    Said,
)
from windlass.worker.line import Line
from windlass.worker.pools import Pools
from windlass.worker.runner import timed_out
from windlass.worker.ways import Gear

# How long a handler that was asked to stop may clean up.
KILL_AFTER = 2.0
# How long a process may take to import the application.
START_WITHIN = 60.0
# When to try again if the machine gives no process.
NO_PROCESS_PAUSE = 1.0
# How long a process is kept warm without anything to do.
WARM = 60.0


class Isolated:
    """The way of running in processes; see `Way`."""

    def __init__(self, gear: Gear, pools: Pools, limit: int) -> None:
        """Begin without any process; they are started as they are needed, and kept warm."""
        self.line = Line()
        self.count = 0
        self.capacity = limit
        self._gear = gear
        self._pools = pools
        self._tasks: dict[Attempt, asyncio.Task[None]] = {}
        self._busy: dict[Attempt, Child] = {}
        self._idle: dict[Child, asyncio.TimerHandle] = {}
        self._ending: set[asyncio.Task[str]] = set()

    def feed(self) -> None:
        """Start attempts while there are claims, slots and processes."""
        gear = self._gear
        now = gear.clock.monotonic()
        while self.line.claims and self.count < self.capacity and gear.may_start(now):
            if not gear.slots.take():
                return
            self.count += 1
            attempt = gear.begin(self.line.claims.popleft(), now)
            task = asyncio.get_running_loop().create_task(self._run(attempt))
            self._tasks[attempt] = task
            task.add_done_callback(self._check)

    def running(self) -> Iterable[Attempt]:
        """The attempts that run."""
        return list(self._tasks)

    def tell(self, attempt: Attempt, why: Told) -> None:
        """End the process: with a chance to clean up, unless it may no longer act at all."""
        if attempt.told is not None:
            return
        attempt.told = why
        child = self._busy.get(attempt)
        if child is None:
            return
        if why is Told.LEASE:
            child.kill()
            return
        child.terminate()
        asyncio.get_running_loop().call_later(KILL_AFTER, self._kill, attempt, child)

    async def close(self) -> None:
        """Kill every process."""
        for child in (*self._busy.values(), *self._idle):
            child.kill()
        for child in tuple(self._idle):
            self._retire(child)
        rest = (*self._tasks.values(), *self._ending)
        if rest:
            await asyncio.wait(rest, timeout=KILL_AFTER)

    # --- one attempt ------------------------------------------------------------------------------

    async def _run(self, attempt: Attempt) -> None:
        ending = await self._ending_of(attempt)
        del self._tasks[attempt]
        self._gear.ended(self, attempt, ending, self._gear.clock.monotonic())
        self.feed()

    async def _ending_of(self, attempt: Attempt) -> Ending:
        threads = self._gear.slots.threads_of(attempt.claim)
        try:
            child = self._warm(threads) or await self._fresh(attempt, threads)
            self._busy[attempt] = child
            if attempt.told is None:
                return await self._within(attempt, child)
            self._retire(child)
        except OSError:
            if attempt.told is None:
                # The machine is short of memory, processes or files; not a failure of the job.
                return Snoozed(NO_PROCESS_PAUSE)
        except (NotReady, BadInput) as error:
            if attempt.told is None:
                return Failed(f"no process to run it in: {error}")
        finally:
            self._busy.pop(attempt, None)
        return attempt.told.ending

    async def _within(self, attempt: Attempt, child: Child) -> Ending:
        timeout = attempt.timeout
        attempt.started = self._gear.clock.monotonic()
        try:
            async with asyncio.timeout(timeout):
                ending = await self._converse(attempt, child)
        except TimeoutError:
            child.kill()
            await child.end()
            return timed_out(timeout or 0.0, "; its process was killed")
        except ChildDied:
            return self._died(attempt, await child.end())
        if attempt.told is None:
            self._keep_warm(child)
        else:
            self._retire(child)  # a signal may have left anything half done
        return ending

    def _died(self, attempt: Attempt, cause: str) -> Ending:
        if attempt.told is not None:
            return attempt.told.ending
        return Crashed(alone=True, error=f"the process running it died: {cause}")

    async def _converse(self, attempt: Attempt, child: Child) -> Ending:
        child.send(Run(attempt.claim, child.threads, attempt.executor.memory_limit))
        while True:
            match await child.receive():
                case Over() as over:
                    attempt.started = over.started
                    return over.ending()
                case Flush():
                    await self._gear.notes.flush([attempt.claim])
                    child.send(Flushed())
                case Committed():
                    attempt.settled = True
                case said:
                    self._note(attempt.claim, said)

    def _note(self, claim: Claim, said: FromChild) -> None:
        notes = self._gear.notes
        match said:
            case Advance(fraction, message):
                notes.progress(claim, fraction, message)
            case Said(level, message):
                notes.line(claim, level, message)
            case File(name, media_type, content):
                notes.keep(claim, Kept(name=name, media_type=media_type, content=content))
            case _:
                return

    # --- processes --------------------------------------------------------------------------------

    def _warm(self, threads: int) -> Child | None:
        """A warm process with so many threads, if there is one."""
        for child in tuple(self._idle):
            if not child.alive:
                self._retire(child)
        for child in self._idle:
            if child.threads == threads:
                self._idle.pop(child).cancel()
                return child
        return None

    async def _fresh(self, attempt: Attempt, threads: int) -> Child:
        """A fresh process; running and warm ones together stay within the limit."""
        while self._idle and len(self._idle) + self.count > self.capacity:
            self._retire(next(iter(self._idle)))
        child = self._busy[attempt] = await self._pools.process(threads)
        try:
            async with asyncio.timeout(START_WITHIN):
                await child.ready()
        except (ChildDied, NotReady, TimeoutError) as error:
            child.kill()
            cause = await child.end()
            raise NotReady(str(error) or f"{cause} before it was ready") from error
        return child

    def _keep_warm(self, child: Child) -> None:
        timer = asyncio.get_running_loop().call_later(WARM, self._retire, child)
        self._idle[child] = timer

    def _retire(self, child: Child) -> None:
        timer = self._idle.pop(child, None)
        if timer is not None:
            timer.cancel()
        task = asyncio.get_running_loop().create_task(child.end())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    def _kill(self, attempt: Attempt, child: Child) -> None:
        if self._busy.get(attempt) is child:
            child.kill()

    def _check(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self._gear.on_fault(error)
