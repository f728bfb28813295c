"""How each host is doing: how many requests it gets at once, and who steps back for others."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from windlass.clock import Chance, Clock
from windlass.executors.base import Retry, Snooze
from windlass.executors.breaker import Breaker

AT_ONCE = 10  # requests to one host, in each process
# How long a request waits for its turn before it looks again whether to wait.
PATIENCE = 0.1
# How long it goes away otherwise: at least, and at most.
STEP_BACK = 1.0
STEP_FAR_BACK = 30.0
# A host that was met so lately may not have had the time to answer anybody.
JUST_MET = 0.5
# Those who wait for a host come back spread over so much more of the time.
SPREAD = 0.5
KNOWN = 1_000


class Host:
    """What is known of one host in this process. Used on one event loop."""

    def __init__(self, name: str, clock: Clock, chance: Chance) -> None:
        """Expect the best."""
        self.name = name
        self.users = 0
        self._clock = clock
        self._chance = chance
        self._breaker = Breaker()
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._met = clock.monotonic()
        self._waiting = 0
        self._answered = Lately()
        self._stepped_back = Lately()

    @property
    def forgettable(self) -> bool:
        """Whether there is nothing to know about it."""
        return not self.users and not self._breaker.failures

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """One request to the host; raises instead if it is not the time for one."""
        self.users += 1
        try:
            self._leave_alone(self._breaker.resting(self._clock.monotonic()))
            await self._wait()
            try:
                self._leave_alone(self._breaker.admit(self._clock.monotonic()))
                yield
            finally:
                self._turns.release()
        finally:
            self.users -= 1

    def answered(self) -> None:
        """Take note of an answer."""
        self._answered.note(self._clock.monotonic())
        self._breaker.succeeded()

    def failed(self) -> None:
        """Take note of a request without an answer, or one that said the host cannot."""
        self._breaker.failed(self._clock.monotonic())

    def _leave_alone(self, seconds: float) -> None:
        """The first rest costs nobody an attempt; a host that is away for longer does."""
        if not seconds:
            return
        after = seconds * (1 + SPREAD * self._chance.random())
        if self._breaker.rests == 1:
            raise Snooze(after)
        raise Retry(
            f"{self.name} did not answer the last {self._breaker.failures} requests;"
            " it is left alone for a while, so this one was not sent",
            after=after,
        )

    async def _wait(self) -> None:
        """Have a turn, at once or while it is worth to keep a slot waiting for it."""
        if not self._turns.locked():
            await self._turns.acquire()  # at once
            return
        self._waiting += 1
        try:
            while self._worth_waiting():
                with suppress(TimeoutError):
                    async with asyncio.timeout(PATIENCE):
                        await self._turns.acquire()
                        return
        finally:
            self._waiting -= 1
        raise self._step_back()

    def _worth_waiting(self) -> bool:
        """Whether the host answers so many in a second as wait for it, or is yet to be known.

        Slots that wait for a slow host are slots that healthy ones do not have.
        """
        now = self._clock.monotonic()
        return now - self._met < PATIENCE or self._waiting <= self._answered.count(now)

    def _step_back(self) -> Snooze:
        """For as long as the host needs for all who step back, as far as that is known."""
        now = self._clock.monotonic()
        self._stepped_back.note(now)
        turns = self._stepped_back.count(now) / max(1, self._answered.count(now))
        if now - self._met < JUST_MET:
            turns = 1.0
        away = min(STEP_FAR_BACK, STEP_BACK * max(1.0, turns))
        return Snooze(away * (1 + SPREAD * self._chance.random()))


class Lately:
    """Counts what happened in the last second, up to a thousand times."""

    __slots__ = ("_times",)

    def __init__(self) -> None:
        """Begin with nothing."""
        self._times: deque[float] = deque(maxlen=KNOWN)

    def note(self, now: float) -> None:
        """It happened."""
        self._times.append(now)

    def count(self, now: float) -> int:
        """How often it happened."""
        while self._times and self._times[0] < now - 1.0:
            self._times.popleft()
        return len(self._times)


class Hosts:
    """The hosts that were met lately, a thousand at most."""

    def __init__(self, clock: Clock, chance: Chance) -> None:
        """Know none."""
        self._clock = clock
        self._chance = chance
        self._known: OrderedDict[str, Host] = OrderedDict()

    def at(self, name: str) -> Host:
        """What is known of this host."""
        host = self._known.get(name)
        if host is None:
            host = self._known[name] = Host(name, self._clock, self._chance)
            self._forget()
        self._known.move_to_end(name)
        return host

    def _forget(self) -> None:
        """Let go of those that were not met for longest, the healthy ones first."""
        if len(self._known) <= KNOWN:
            return
        unused = [name for name, host in self._known.items() if not host.users]
        well = [name for name in unused if self._known[name].forgettable]
        for name in (well or unused)[:1]:
            del self._known[name]
