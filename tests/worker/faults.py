"""A real store that goes wrong where a test says so."""

from collections.abc import Callable, Sequence
from typing import Any

from windlass.core.errors import StoreAway
from windlass.core.settle import Settlement
from windlass.store.base import Store
from windlass.store.records import Claimed, Demand, LogLine, Progress


class Faulty:
    """Passes everything on to a real store, except what a test has it do otherwise."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.away = False  # cannot be reached
        self.lose_claims = 0  # so many claims are granted, and their answers lost
        self.lose_settlements = 0  # so many batches are applied, and their answers lost
        self.unfit: Callable[[Settlement], bool] = lambda _: False
        self.unfit_notes = False
        self.sent: list[int] = []  # the sizes of the batches that were to be settled
        self.demands: list[Demand] = []

    def __getattr__(self, name: str) -> Any:
        self._insist()
        return getattr(self._store, name)

    async def claim(self, demand: Demand) -> Claimed:
        """Claim, or not."""
        self._insist()
        self.demands.append(demand)
        claimed = await self._store.claim(demand)
        if self.lose_claims and claimed.claims:
            self.lose_claims -= 1
            raise StoreAway("the line is cut", ambiguous=True)
        return claimed

    async def settle(self, settlements: Sequence[Settlement]) -> list[Settlement]:
        """Settle, or not."""
        self._insist()
        self.sent.append(len(settlements))
        if any(self.unfit(one) for one in settlements):
            raise ValueError("this does not fit a column")
        refused = await self._store.settle(settlements)
        if self.lose_settlements:
            self.lose_settlements -= 1
            raise StoreAway("the line is cut", ambiguous=True)
        return refused

    async def note(self, progress: Sequence[Progress], lines: Sequence[LogLine]) -> None:
        """Keep notes, or not."""
        self._insist()
        if self.unfit_notes:
            raise ValueError("this does not fit a column")
        await self._store.note(progress, lines)

    def _insist(self) -> None:
        if self.away:
            raise StoreAway("nobody answers")
