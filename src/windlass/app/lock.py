"""Locks by name, for work of which there is one at a time in the whole fleet.

Who holds a lock, and under which token, is decided by the database alone. Redis, where there is
one, only spares those who wait the asking.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import timedelta
from typing import Any
from weakref import WeakValueDictionary

from windlass.bell.hail import Hail
from windlass.clock import Chance, Clock
from windlass.core.errors import Busy, LockLost, LockTaken, StoreAway
from windlass.store.locking import Grip, Locking

SUBJECT = "locks"
UNREACHED = (StoreAway, Busy, TimeoutError)

# The block is told this much before the database gives the lock to others: time to stop in.
TRUSTED_SHARE = 0.8
# Several renewals fit into the time that is trusted, and many tries after one that failed.
RENEWALS = 5
RETRIES = 40
# Seconds before asking again: at first, later, and where a release would be heard. All are shorter
# than the time for which the store keeps a lock for who is next.
FIRST_PAUSE = 0.02
LAST_PAUSE = 0.25
HEARING_PAUSE = 1.0
# Seconds for which a block's end waits for a database that does not answer.
GIVING_BACK = 5.0
INFINITE = float("inf")


class Hold:
    """A lock as its holder has it.

    `token` is higher than that of every holder before: who keeps the highest it has seen can
    refuse one that was overtaken without knowing it.
    """

    def __init__(self, name: str, token: int, trusted_until: float, clock: Clock) -> None:
        """Begin with what the database granted; `trusted_until` is a time of this process."""
        self.name = name
        self.token = token
        self._trusted_until = trusted_until
        self._clock = clock

    @property
    def lost(self) -> bool:
        """Whether somebody else may hold it soon, or does by now."""
        return self.left == 0.0

    @property
    def left(self) -> float:
        """Seconds for which it is sure without another renewal."""
        return max(self._trusted_until - self._clock.monotonic(), 0.0)

    def check(self) -> None:
        """Raise if it is lost: the last thing to do before an effect on the outside."""
        if self.lost:
            raise LockLost(self.name, self.token)

    def trust(self, until: float) -> None:
        """Take it for ours until then."""
        self._trusted_until = until


class Locks:
    """Takes locks and holds them, for everybody on one event loop."""

    def __init__(self, store: Locking, hail: Hail, clock: Clock, chance: Chance) -> None:
        """Hold none yet."""
        self._store = store
        self._hail = hail
        self._clock = clock
        self._chance = chance
        self._name = chance.token()
        # Of those here who want the same lock one asks for it; the others stand behind it.
        self._doors: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._freed: dict[str, asyncio.Event] = {}

    @asynccontextmanager
    async def held(self, name: str, ttl: timedelta, patience: float | None) -> AsyncIterator[Hold]:
        """Hold the lock while the block runs; a block that outlives it is cancelled."""
        hold = await self._waited_for(name, ttl, patience)
        alarm = Alarm()
        keeping = asyncio.create_task(self._keep(hold, ttl, alarm), name=f"lock {name}")
        try:
            yield hold
        except asyncio.CancelledError:
            if alarm.silence():
                raise LockLost(name, hold.token) from None
            raise
        else:
            hold.check()  # it may have ended well all the same, but not under the lock
        finally:
            alarm.silence()
            keeping.cancel()
            await _undisturbed(self._end(hold, keeping))

    # --- taking -----------------------------------------------------------------------------------

    async def _waited_for(self, name: str, ttl: timedelta, patience: float | None) -> Hold:
        until = INFINITE if patience is None else self._clock.monotonic() + patience
        door = self._doors.setdefault(name, asyncio.Lock())
        try:
            async with asyncio.timeout(patience):
                await door.acquire()
        except TimeoutError:
            raise LockTaken(name, patience or 0.0) from None
        try:
            hold = await self._sought(name, ttl, until)
        finally:
            door.release()
        if hold is None:
            raise LockTaken(name, patience or 0.0)
        return hold

    async def _sought(self, name: str, ttl: timedelta, until: float) -> Hold | None:
        """Ask until it is ours; who is too impatient to ask twice does not stand in line."""
        waiter = self._name if until > self._clock.monotonic() else None
        answer = await self._ask(name, ttl, waiter)
        if isinstance(answer, Hold):
            return answer
        if waiter is None:
            return None
        try:
            hold = await self._waited_in_line(name, ttl, until)
        except BaseException:
            await _undisturbed(self._leave(name))
            raise
        if hold is None:
            await self._leave(name)
        return hold

    async def _waited_in_line(self, name: str, ttl: timedelta, until: float) -> Hold | None:
        left = 0.0
        with self._hearing(name) as freed:
            for pause in self._pauses():
                patience = until - self._clock.monotonic()
                if patience <= 0:
                    return None
                await _any_of(freed, min(max(left, FIRST_PAUSE), pause, patience))
                answer = await self._ask(name, ttl, self._name)
                if isinstance(answer, Hold):
                    return answer
                left = answer.left.total_seconds()
        raise AssertionError

    async def _leave(self, name: str) -> None:
        with suppress(*UNREACHED):
            await self._store.leave_lock(name, self._name)

    def _pauses(self) -> Iterator[float]:
        """Longer and longer, and long at once where a release would be heard."""
        pause = FIRST_PAUSE
        while True:
            yield pause * (0.5 + 0.5 * self._chance.random())
            pause = HEARING_PAUSE if self._hail.up else min(2 * pause, LAST_PAUSE)

    @contextmanager
    def _hearing(self, name: str) -> Iterator[asyncio.Event]:
        freed = self._freed[name] = asyncio.Event()
        try:
            with self._hail.hearing(SUBJECT, self._hear):
                yield freed
        finally:
            del self._freed[name]

    def _hear(self, said: bytes | None) -> None:
        for name, freed in self._freed.items():
            if said is None or said == name.encode():
                freed.set()

    async def _ask(self, name: str, ttl: timedelta, waiter: str | None) -> Hold | Grip:
        began = self._clock.monotonic()
        asking = asyncio.ensure_future(self._store.lock(name, ttl, waiter))
        try:
            grip = await asyncio.shield(asking)
        except asyncio.CancelledError:
            await _undisturbed(self._regret(name, asking))
            raise
        if grip.token is None:
            return grip
        return Hold(name, grip.token, began + _trusted(ttl), self._clock)

    async def _regret(self, name: str, asking: asyncio.Future[Grip]) -> None:
        """Give back what nobody waits for any more."""
        with suppress(*UNREACHED):
            grip = await asking
            if grip.token is not None:
                await self._store.unlock(name, grip.token)

    # --- holding ----------------------------------------------------------------------------------

    async def _keep(self, hold: Hold, ttl: timedelta, alarm: Alarm) -> None:
        pause = ttl.total_seconds() / RENEWALS
        while not hold.lost:
            await asyncio.sleep(min(pause, hold.left))
            renewed = await self._renew(hold, ttl)
            pause = ttl.total_seconds() / (RENEWALS if renewed else RETRIES)
        alarm.ring()

    async def _renew(self, hold: Hold, ttl: timedelta) -> bool:
        began = self._clock.monotonic()
        try:
            async with asyncio.timeout(hold.left):
                renewed = await self._store.renew_lock(hold.name, hold.token, ttl)
        except Exception:  # noqa: BLE001 — whatever the reason, nothing was granted: the time runs on
            return False
        hold.trust(began + _trusted(ttl) if renewed else began)
        return renewed

    async def _end(self, hold: Hold, keeping: asyncio.Task[None]) -> None:
        await asyncio.gather(keeping, return_exceptions=True)
        await self._give_back(hold)

    async def _give_back(self, hold: Hold) -> None:
        """Free it for others; what cannot be told to the database ends there by itself."""
        with suppress(*UNREACHED):
            async with asyncio.timeout(GIVING_BACK):
                await self._store.unlock(hold.name, hold.token)
        self._hear(hold.name.encode())
        await self._hail.say(SUBJECT, hold.name.encode())


class Alarm:
    """Cancels the task that made it, and tells whether a cancellation was its own."""

    def __init__(self) -> None:
        """Remember who is to be woken."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 — a coroutine runs in one
        self._task: asyncio.Task[Any] = task
        self._cancelled = task.cancelling()
        self._rung = False

    def ring(self) -> None:
        """Interrupt whatever the task waits for."""
        self._rung = True
        self._task.cancel()

    def silence(self) -> bool:
        """Take it back; true if nobody else wants the task to end."""
        rung, self._rung = self._rung, False
        return rung and self._task.uncancel() <= self._cancelled


def _trusted(ttl: timedelta) -> float:
    return TRUSTED_SHARE * ttl.total_seconds()


async def _undisturbed(work: Coroutine[Any, Any, None]) -> None:
    """Do it to its end, also for a task that is cancelled meanwhile."""
    doing = asyncio.ensure_future(work)
    try:
        await asyncio.shield(doing)
    except asyncio.CancelledError:
        await asyncio.wait({doing})
        raise


async def _any_of(freed: asyncio.Event, seconds: float) -> None:
    """Wait until it is freed, but no longer than so many seconds."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await freed.wait()
    freed.clear()
