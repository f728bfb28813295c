"""Runs what is due, one job after the other, with the parts that a worker is made of."""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from windlass.app import Job
from windlass.core.claim import Claim
from windlass.core.job import Lane, NodeId, WorkerId
from windlass.core.limits import MAX_THREADS
from windlass.core.settle import settle
from windlass.executors.base import Mode, Registry
from windlass.executors.context import Context
from windlass.store.base import Store
from windlass.store.records import Demand, NodeRecord, WorkerRecord
from windlass.store.sql_store import SqlStore
from windlass.wiring import Windlass
from windlass.wiring.builtins import staffed
from windlass.worker.attempt import Attempt
from windlass.worker.desk import LocalDesk
from windlass.worker.lease import LocalLease
from windlass.worker.notes import Notes
from windlass.worker.runner import run_on_loop, run_plain
from windlass.worker.transaction import Opener

# Tests may advance their clock as they like; a lease is none of their concern.
LEASE = timedelta(days=1000)
PROMOTED_AT_ONCE = 5_000


async def drain(app: Windlass, *, at_most: int = 1_000) -> list[Job]:
    """Run every job that is due, and those that they enqueue; answer with each after its attempt.

    A job that failed and waits for its retry is answered as `scheduled`, with its error: advance
    the clock and drain again. More than `at_most` attempts are taken for an endless chain.
    """
    ran: list[Job] = []
    async with _hand(app) as hand:
        while (claim := await hand.take()) is not None:
            await hand.run(claim)
            ran.append(await app.get(claim.id))
            if len(ran) > at_most:
                raise AssertionError(f"after {at_most} attempts something is still due: {ran[-1]}")
    return ran


def drain_blocking(app: Windlass, *, at_most: int = 1_000) -> list[Job]:
    """The same, for tests without an event loop."""
    return app.blocking.bridge.run(drain(app, at_most=at_most))


@asynccontextmanager
async def _hand(app: Windlass) -> AsyncIterator[Hand]:
    home = await app.home()
    store = home.store
    assert isinstance(store, SqlStore)  # noqa: S101 — wiring opens no other
    effects = app.storehouse.effects(store)
    house = app.storehouse
    notes = Notes(store=store, clock=house.clock, chance=house.chance, observer=house.observer)
    known = staffed(app.registry, store, home.bell, house.clock)
    hand = Hand(app, known, store, Opener(effects, notes, house.clock))
    await hand.join()
    try:
        yield hand
    finally:
        await store.leave(hand.node)
        await effects.close()


class OneByOne:
    """Does without helpers."""

    def share(
        self,
        work: Callable[[Any], Any],
        chunks: Sequence[Any],
        at_once: int,  # noqa: ARG002 — it is one
        stopped: Callable[[], bool],  # noqa: ARG002 — a test waits
    ) -> list[Any]:
        """Work on one chunk after the other."""
        return [work(chunk) for chunk in chunks]

    def close(self) -> None:
        """Nothing is open."""


class Hand:
    """A worker that takes one job at a time, and knows nothing of time."""

    def __init__(self, app: Windlass, known: Registry, store: Store, opener: Opener) -> None:
        """Work for the app, on jobs of the types that are known."""
        self._registry = known
        self._store = store
        self._opener = opener
        self._chance = app.storehouse.chance
        self._lease = LocalLease(opener.clock)
        self._lease.extend(math.inf)
        self.node = NodeId(self._chance.token())
        self._worker = WorkerId(self._chance.token())

    async def join(self) -> None:
        """Become known to the fleet: only then can jobs be claimed."""
        node = NodeRecord(id=self.node, host="test", pid=os.getpid(), version="test")
        await self._store.join(node, LEASE)
        await self._store.enlist(
            WorkerRecord(
                id=self._worker,
                node=self.node,
                pid=os.getpid(),
                slots=1,
                threads=MAX_THREADS,
                types=self._registry.types(),
                queues=None,
            )
        )

    async def take(self) -> Claim | None:
        """The next job that is due, if there is one."""
        await self._store.promote(PROMOTED_AT_ONCE)
        for lane in (Lane.OPEN, Lane.THREADS, Lane.ALONE):
            demand = Demand(
                node=self.node,
                worker=self._worker,
                lane=lane,
                limit=1,
                types=self._registry.types(),
                free_threads=MAX_THREADS,
                widest=MAX_THREADS,
            )
            claimed = await self._store.claim(demand)
            if claimed.claims:
                return claimed.claims[0]
        return None

    async def run(self, claim: Claim) -> None:
        """Run one attempt, and settle what it comes to."""
        attempt = self._begin(claim)
        if attempt.executor.mode is Mode.LOOP:
            ending = await run_on_loop(attempt)
        else:
            # Isolated handlers too: a process of their own would have another store in memory.
            ending = await asyncio.to_thread(run_plain, attempt)
        await self._opener.notes.flush([claim])
        self._opener.notes.forget([claim])
        if attempt.settled:
            return
        settlement = settle(
            claim,
            ending,
            backoff=attempt.backoff,
            chance=0.0,  # a test shall know when a retry is due
            started=attempt.started,
            ended=self._opener.clock.monotonic(),
        )
        await self._store.settle([settlement])

    def _begin(self, claim: Claim) -> Attempt:
        executor = self._registry.get(claim.type)
        attempt = Attempt(claim, executor, self._opener.clock.monotonic())
        if executor.wants_context:
            desk = LocalDesk(attempt, self._lease, self._opener, OneByOne())
            attempt.context = Context(claim, desk, max(claim.threads, 1))
        return attempt
