"""A worker that stands by: the next job that comes alone is its own, and it is told so."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from windlass.core.job import WorkerId
from windlass.store.base import Store
from windlass.worker.front import LONG_AGO
from windlass.worker.persist import ask

# So long after the last job a worker stands by for the next, in seconds: where jobs come one upon
# the other it is not worth a word to the store.
REST = 0.005
# A line that is half-open is noticed within this many seconds.
DEAF_FOR = 15.0


class Standby:
    """Knows when to stand by, and which news to believe: those of the last time, and once.

    What is handed over may be heard late, or not at all; then the store knows of it, and whoever
    asks the store which claims it holds stands down first. So no news can follow that answer.
    """

    def __init__(self, store: Store, worker: WorkerId, poll: float) -> None:
        """Begin far from any bell; `poll` is how often to see whether it still stands by."""
        self.doubt: Callable[[], None] = lambda: None  # told of news that should have been heard
        self.near = False  # what is for this worker alone is heard
        self.waiting = False  # for news
        self.lapses = 0.0  # how often its lease had lapsed when it began to
        self._store = store
        self._worker = worker
        self._poll = poll
        self._number = 0
        self._since = LONG_AGO  # when it was last sure to stand by
        self._not_before = LONG_AGO

    @property
    def due(self) -> float:
        """When to stand by, and then when to see whether it still does."""
        return self._since + self._poll if self.waiting else self._not_before

    def hear(self, *, near: bool) -> None:
        """Take in whether what is for this worker alone is heard: some may have been missed."""
        self.near = near
        self._since = LONG_AGO

    def came(self, now: float) -> None:
        """Take in that there was a job."""
        self._not_before = max(self._not_before, now + REST)

    def believes(self, number: int) -> bool:
        """Whether to believe news with this number; after that it no longer stands by."""
        if not self.waiting or number != self._number:
            return False
        self.waiting = False
        return True

    def step(self, now: float, lapses: float, *, ready: bool) -> Coroutine[Any, Any, None] | None:
        """What there is to do for a worker that is ready for a job or not, if anything."""
        if not ready or not self.near:
            return self.leave() if self.waiting else None
        if self.due > now:
            return None
        return self._see_whether_still(now) if self.waiting else self._begin(now, lapses)

    async def leave(self) -> None:
        """Stand down, and doubt if there was a job."""
        if not await self.end():
            self.doubt()

    async def end(self) -> bool:
        """Believe no news from now on; false if there are some that it should have heard."""
        expected, self.waiting = self.waiting, False
        # Also if it did not: what was said to a store that did not answer may be done late.
        stood = bool(self._number) and await ask(self._store.stand_down(self._worker))
        return stood or not expected

    async def still(self) -> bool:
        """Whether it still stands by: false if there are news that it should have heard."""
        listed = await ask(self._store.stands_by(self._worker))
        return listed or not self.waiting

    async def _begin(self, now: float, lapses: float) -> None:
        self._number += 1
        # Before the store knows: the news may be here before its answer.
        self.waiting = True
        self._since, self.lapses = now, lapses
        await ask(self._store.stand_by(self._worker, self._number))

    async def _see_whether_still(self, now: float) -> None:
        self._since = now
        if not await self.still():
            self._not_before = now + DEAF_FOR  # it would probably miss the next
            self.doubt()
