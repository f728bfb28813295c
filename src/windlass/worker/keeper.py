"""Keeps a node's lease alive: the last part of a node to stop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from typing import TypeAlias

from msgspec import Struct

from windlass.clock import Chance, Clock
from windlass.core.errors import StoreAway
from windlass.core.job import NodeId
from windlass.loop import Loop, Pace
from windlass.observe.events import ChoreFailed, LeaseLost, LeaseRenewed, Observer
from windlass.store.base import Store
from windlass.store.records import Standing
from windlass.worker.lease import Lease
from windlass.worker.tenure import LeaseTerms, Tenure

OpenStore: TypeAlias = Callable[[], AbstractAsyncContextManager[Store]]


class Keeper(Struct, kw_only=True):
    """Renews one node's lease over a database handle of its own.

    Nothing else uses that handle, so no slow statement can stand before a renewal.
    """

    node: NodeId
    terms: LeaseTerms
    tenure: Tenure
    lease: Lease
    clock: Clock
    chance: Chance
    observer: Observer
    lost: bool = False

    async def keep(self, open_store: OpenStore, told: Callable[[Standing], None]) -> None:
        """Renew until cancelled, and pass on what each renewal tells of the fleet."""
        async with open_store() as store:
            await Loop(
                "renew",
                Pace(every=self.terms.every),
                lambda: self._renew(store, told),
                chance=self.chance.random,
                report=self._failed,
            ).run()

    async def _renew(self, store: Store, told: Callable[[Standing], None]) -> None:
        sent = self.clock.monotonic()
        # A third of the lease: a renewal that hangs leaves time for another.
        async with asyncio.timeout(self.terms.ttl / 3):
            standing = await store.renew(self.node, timedelta(seconds=self.terms.ttl))
        if standing.known:
            answered = self.clock.monotonic()
            self.lease.extend(self.tenure.renewed(sent, answered, standing.now_us))
            self.lost = False
            self.observer.on(LeaseRenewed(self.node, answered - sent))
        else:
            self.lease.revoke()
        told(standing)

    def _failed(self, _: str, error: Exception) -> None:
        self.tenure.failed()
        away = isinstance(error, StoreAway | TimeoutError)
        self.observer.on(ChoreFailed("renew", repr(error), away=away))
        if not self.lost and not self.lease.trusted():
            self.lost = True
            self.observer.on(LeaseLost(self.node))
