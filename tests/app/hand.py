"""A worker by hand: takes jobs one by one, and ends them as the test says."""

from __future__ import annotations

from datetime import timedelta

from windlass import Windlass
from windlass.clock import SystemChance
from windlass.core.backoff import DEFAULT_BACKOFF
from windlass.core.claim import Claim
from windlass.core.job import Lane, NodeId, WorkerId
from windlass.core.outcome import Done, Ending
from windlass.core.settle import settle
from windlass.store.base import Store
from windlass.store.records import Demand, NodeRecord, WorkerRecord


class Hand:
    """One live worker with the types that the app knows."""

    def __init__(self, store: Store, types: list[str]) -> None:
        chance = SystemChance()
        self.store = store
        self.types = types
        self.node = NodeId(chance.token())
        self.worker = WorkerId(chance.token())

    @classmethod
    async def of(cls, app: Windlass) -> Hand:
        """Join the fleet."""
        home = await app._homes.here()
        return cls(home.store, app.registry.types())

    async def join(self, *types: str) -> None:
        """Become known, with a lease."""
        self.types = list(types)
        record = NodeRecord(id=self.node, host="here", pid=1, version="0")
        await self.store.join(record, timedelta(minutes=1))
        await self.store.enlist(
            WorkerRecord(
                id=self.worker,
                node=self.node,
                pid=1,
                slots=1,
                threads=1,
                types=self.types,
                queues=None,
            )
        )

    async def take(self) -> Claim:
        """Claim the one job that stands in line."""
        demand = Demand(
            node=self.node, worker=self.worker, lane=Lane.OPEN, limit=1, types=self.types
        )
        [claim] = (await self.store.claim(demand)).claims
        return claim

    async def end(self, claim: Claim, ending: Ending | None = None) -> None:
        """Settle it, as done unless told otherwise."""
        settlement = settle(claim, ending or Done("1"), backoff=DEFAULT_BACKOFF, chance=0.0)
        assert await self.store.settle([settlement]) == []
