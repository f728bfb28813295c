"""Repeats a chore until it is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import NoReturn, TypeAlias

from msgspec import Struct

# A turn may answer with the seconds until it wants the next one.
Turn: TypeAlias = Callable[[], Awaitable[float | None]]
Report: TypeAlias = Callable[[str, Exception], None]

# An outage shall cost nobody more than this after its end, and no server a storm meanwhile.
FIRST_RETRY = 0.25
LAST_RETRY = 2.5
# The least pause of who has breaths saved up: what comes in a burst is mostly there by then.
SHORT_BREATH = 0.002


class Pace(Struct, frozen=True, kw_only=True):
    """How often a chore wants its turn, in seconds."""

    every: float
    breath: float = 0.0  # the least pause, however often somebody hurries it
    # Breaths that can be saved up: after a rest so many turns follow each other sooner than that.
    saved: int = 0
    wait_first: bool = False


class Loop:
    """A named chore that takes turn after turn and ends only by being cancelled.

    A turn that raises is reported and comes again after a pause that doubles. Pauses are jittered
    by a tenth, lest every node of a fleet ask at once.
    """

    def __init__(
        self, name: str, pace: Pace, turn: Turn, *, chance: Callable[[], float], report: Report
    ) -> None:
        """Say what to repeat, and whom to tell when a turn fails."""
        self.name = name
        self._pace = pace
        self.turn = turn
        self._chance = chance
        self._report = report
        self._failures = 0
        self._hurry = asyncio.Event()
        self._spent = 0.0  # seconds of breath, of those that are saved up
        self._spent_at = 0.0

    def hurry(self) -> None:
        """Take the next turn now instead of at its time."""
        self._hurry.set()

    async def run(self) -> NoReturn:
        """Take turn after turn."""
        if self._pace.wait_first:
            await self._pause(self._usual())
        while True:
            # Cleared before the turn: whoever hurries it meanwhile has news it may have missed.
            self._hurry.clear()
            await self._pause(await self._take_turn())

    async def _take_turn(self) -> float:
        try:
            wanted = await self.turn()
        except Exception as error:  # noqa: BLE001 — a chore outlives whatever befalls one turn
            _end_if_asked_to()
            self._failures += 1
            self._report(self.name, error)
            return self._after_failure()
        self._failures = 0
        return self._usual() if wanted is None else wanted

    def _usual(self) -> float:
        return self._pace.every * (0.9 + 0.2 * self._chance())

    def _after_failure(self) -> float:
        # Full jitter: what failed together shall not come back together.
        longest = min(FIRST_RETRY * 2.0 ** min(self._failures - 1, 8), LAST_RETRY, self._pace.every)
        return longest * (0.1 + 0.9 * self._chance())

    async def _pause(self, seconds: float) -> None:
        breath, now = self._breath(), asyncio.get_running_loop().time
        breathed = now() + breath
        try:
            async with asyncio.timeout(max(seconds, breath)):
                await self._hurry.wait()
        except TimeoutError:
            return
        await asyncio.sleep(breathed - now())

    def _breath(self) -> float:
        """The least pause now; over a while they come to one whole breath a turn."""
        pace, now = self._pace, asyncio.get_running_loop().time()
        self._spent = max(self._spent - (now - self._spent_at), 0.0) + pace.breath
        self._spent_at = now
        if self._spent > pace.breath * pace.saved:
            return pace.breath
        return min(pace.breath, SHORT_BREATH)


def _end_if_asked_to() -> None:
    """Go on ending: what fails while a turn is cancelled, as to let go of a lock, hides that."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
