"""Failures that are alike, looked for once for everybody who asks at about the same time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeVar

from windlass.app import App
from windlass.clock import Clock
from windlass.http.fresh import Ages, Fresh
from windlass.store.base import Store
from windlass.store.faults import Dead, Failures

T = TypeVar("T")

# To look takes up to half a second. Whoever has just changed something shall see it soon.
AGES = Ages(fresh=1.0, between=1.0, good=10.0)
WINDOWS = {
    "1h": timedelta(hours=1),
    "1d": timedelta(days=1),
    "7d": timedelta(days=7),
}
MOST_DEAD, MOST_FAILURES = 200, 100


class FaultFinding:
    """Asks the store, and remembers what it said for a moment."""

    def __init__(self, app: App, clock: Clock) -> None:
        """Ask nothing yet."""
        self._app = app
        self._clock = clock
        self._dead = self._fresh(lambda store: store.dead(MOST_DEAD))
        self._failures = {name: self._lately(window) for name, window in WINDOWS.items()}

    async def dead(self) -> Dead:
        """The dead letters, grouped."""
        return await self._dead.get()

    async def failures(self, window: str) -> Failures:
        """What failed within a window, grouped."""
        return await self._failures[window].get()

    def _lately(self, window: timedelta) -> Fresh[Failures]:
        return self._fresh(lambda store: store.failures(window, MOST_FAILURES))

    def _fresh(self, ask: Callable[[Store], Awaitable[T]]) -> Fresh[T]:
        async def read(_: T | None) -> T:
            return await ask((await self._app.home()).store)

        return Fresh(read, self._clock, AGES)
