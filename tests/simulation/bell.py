"""A bell between simulated processes, which is sometimes late, twice, or not heard at all."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Protocol

from tests.simulation.kernel import Kernel, Loop
from windlass.bell.base import NEAR, Ear
from windlass.bell.inbox import Inbox
from windlass.core.herald import Herald


class Air(Protocol):
    """Carries a ring to one ear: after so many seconds, once for each."""

    def carries(self) -> Sequence[float]:
        """When the ring arrives."""
        ...


class Tower:
    """Every ear of the world."""

    def __init__(self, kernel: Kernel, air: Air) -> None:
        self.kernel = kernel
        self.air = air
        self.ears: dict[Inbox, Loop] = {}

    def ring(self, words: Sequence[str]) -> None:
        """Let everybody hear it, as the air allows."""
        for ear, loop in self.ears.items():
            for delay in self.air.carries():
                loop.post_in(delay, ear.hear, words)


class TowerBell:
    """The bell as one process knows it."""

    def __init__(self, tower: Tower, loop: Loop) -> None:
        self._tower = tower
        self._loop = loop

    async def ring(self, words: Sequence[str], jobs: int = 1) -> None:  # noqa: ARG002
        """Wake whoever listens."""
        if words:
            self._tower.ring(words)

    def herald(self, words: Sequence[str]) -> Herald | None:  # noqa: ARG002
        """One without a channel: a ring follows the commit."""
        return Herald()

    @asynccontextmanager
    async def listen(self, name: str | None = None) -> AsyncIterator[Ear]:
        """Hear it from now on."""
        ear = Inbox()
        self._tower.ears[ear] = self._loop
        if name is not None:
            ear.hear([NEAR])
        try:
            yield ear
        finally:
            del self._tower.ears[ear]

    async def close(self) -> None:
        """Nothing is open."""
