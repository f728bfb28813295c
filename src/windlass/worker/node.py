"""A node: the lease by which its workers' claims live, the asks for them, and its chores."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager
from datetime import timedelta
from typing import Any, Protocol, TypeAlias

from msgspec import Struct, field

from windlass.bell.base import ASKED, CHANGED, EVERY, LATER, Bell, wakes, wide
from windlass.clock import Chance, Clock
from windlass.core.errors import Busy, StoreAway
from windlass.core.job import NodeId, WorkerId
from windlass.loop import Loop, Pace, Turn
from windlass.observe.events import (
    BellHeard,
    ChoreFailed,
    NodeForgotten,
    NodeJoined,
    NodeLeft,
    Observer,
)
from windlass.store.base import Store
from windlass.store.records import Ask, NodeRecord, Standing
from windlass.worker.background import background
from windlass.worker.keeper import Keeper, OpenStore
from windlass.worker.lease import Lease
from windlass.worker.tenure import TRUSTED_SHARE, LeaseTerms, Tenure

# Runs work beside a block: on the same event loop, or on a thread with one of its own.
Aside: TypeAlias = Callable[[Coroutine[Any, Any, None]], AbstractAsyncContextManager[None]]

LEAVE_WITHIN = 5.0
ASK_EVERY = 1.0
# For what is hurried whenever there is anything to do, and comes again by itself if it failed.
SELDOM = 30.0

# Which chores a word makes urgent.
URGENT = {
    LATER: ("promote",),
    ASKED: ("asks",),
    CHANGED: ("unpark", "park"),
    EVERY: ("promote", "asks"),
}


class Crew(Protocol):
    """The workers of a node: processes, or one in the same process."""

    listens: bool  # they hear the bell themselves, and let the node heed what is for it

    def ring(self, *, wide: bool) -> None:
        """Let one of them that has room look for jobs, perhaps for some that ask for threads."""
        ...

    def cancel(self, ask: Ask) -> None:
        """Pass on that somebody asked a running job to stop; may be told more than once."""
        ...

    def learn(self, standing: Standing) -> None:
        """Pass on what the last renewal told."""
        ...

    def suspect(self) -> None:
        """Be ready for jobs that run alone, before the next renewal counts them."""
        ...


class Outfit(Struct, frozen=True, kw_only=True):
    """What a node works with; wiring alone knows what is behind it."""

    store: Store
    open_lease_store: OpenStore  # a second handle on the same database, for renewals alone
    bell: Bell
    clock: Clock
    chance: Chance
    observer: Observer
    rota: Callable[[Callable[[int | None], bool], Callable[[], None]], Sequence[Loop]]
    answering: Callable[[NodeId], AbstractContextManager[None]]
    aside: Aside = background
    terms: LeaseTerms = field(default_factory=LeaseTerms)


class Node:
    """Joins the fleet, holds its lease, does its share of the chores, and leaves."""

    def __init__(self, record: NodeRecord, outfit: Outfit, lease: Lease) -> None:
        """Take an identity that nobody had before: a node that was forgotten never returns."""
        self.record = record
        self.forgotten = asyncio.Event()
        self._outfit = outfit
        self._lease = lease
        self._tenure = Tenure(outfit.terms)
        self._ended: set[WorkerId] = set()
        self._crew: Crew | None = None
        chores = [
            *outfit.rota(self.may_judge, self._reclaimed),
            self._loop("asks", Pace(every=ASK_EVERY, breath=0.01), self._pass_on_asks),
            self._loop("dismiss", Pace(every=SELDOM), self._dismiss),
        ]
        self._chores = {chore.name: chore for chore in chores}

    @property
    def id(self) -> NodeId:
        """Its name in the fleet."""
        return self.record.id

    @asynccontextmanager
    async def on_duty(self, crew: Crew) -> AsyncIterator[None]:
        """Be part of the fleet while the block runs.

        What the block does not wait for ends in this order: chores, renewals, membership. The
        lease outlives everything that lives by it.
        """
        self._crew = crew
        with self._outfit.answering(self.id):
            await self._join()
            try:
                keeping = self._keeper().keep(self._outfit.open_lease_store, self._from_keeper())
                async with self._outfit.aside(keeping):
                    chores = [chore.run() for chore in self._chores.values()]
                    listening = () if crew.listens else (self._listen(),)
                    async with background(*listening, *chores):
                        yield
            finally:
                self._lease.revoke()
                await self._leave()

    def may_judge(self, database_us: int | None = None) -> bool:
        """Whether this node may take another's lapsed lease for a death; by that time, if said."""
        now = self._outfit.clock.monotonic()
        if database_us is not None and not self._tenure.agrees(now, database_us):
            return False
        return self._tenure.unbroken(now)

    def dismiss(self, worker: WorkerId) -> None:
        """Tell the fleet soon that the worker has ended, and reclaim what it held."""
        self._ended.add(worker)
        self.hurry("dismiss")

    def hurry(self, *chores: str) -> None:
        """Give chores their next turn now."""
        for chore in chores:
            self._chores[chore].hurry()

    def heed(self, words: Sequence[str]) -> None:
        """Do what a ring asks for."""
        for word in words:
            self.hurry(*URGENT.get(word, ()))
        if wakes(words):
            self._workers.ring(wide=wide(words))

    def report(self, chore: str, error: Exception) -> None:
        """Tell that a turn failed."""
        away = isinstance(error, StoreAway)
        self._outfit.observer.on(ChoreFailed(chore, repr(error), away=away))

    # --- joining and leaving ----------------------------------------------------------------------

    async def _join(self) -> None:
        sent = self._outfit.clock.monotonic()
        ttl = self._outfit.terms.ttl
        await self._outfit.store.join(self.record, timedelta(seconds=ttl))
        self._lease.extend(sent + ttl * TRUSTED_SHARE)
        self._outfit.observer.on(NodeJoined(self.id, self.record.host, self.record.pid))

    async def _leave(self) -> None:
        try:
            async with asyncio.timeout(LEAVE_WITHIN):
                await self._dismiss()
                await self._outfit.store.leave(self.id)
        except (StoreAway, Busy, TimeoutError) as error:
            self.report("leave", error)  # its lease runs out by itself
            return
        self._outfit.observer.on(NodeLeft(self.id))

    async def _dismiss(self) -> None:
        if not self._ended:
            return
        ended = list(self._ended)
        await self._outfit.store.dismiss(ended)
        await self._chores["reclaim"].turn()
        # Not before: whoever leaves must have done both, or their jobs are left for others to find.
        self._ended.difference_update(ended)

    # --- what it is told --------------------------------------------------------------------------

    def _keeper(self) -> Keeper:
        outfit = self._outfit
        return Keeper(
            node=self.id,
            terms=outfit.terms,
            tenure=self._tenure,
            lease=self._lease,
            clock=outfit.clock,
            chance=outfit.chance,
            observer=outfit.observer,
        )

    def _from_keeper(self) -> Callable[[Standing], None]:
        # The keeper may live on a thread of its own; what it says is heard on this loop.
        home = asyncio.get_running_loop()

        def told(standing: Standing) -> None:
            home.call_soon_threadsafe(self._learn, standing)

        return told

    def _learn(self, standing: Standing) -> None:
        if standing.known:
            self._workers.learn(standing)
            return
        self._outfit.observer.on(NodeForgotten(self.id))
        self.forgotten.set()

    async def _listen(self) -> None:
        async with self._outfit.bell.listen() as ear:
            while True:
                words = await ear.wait()
                self.heed(words)
                self._outfit.observer.on(BellHeard(words))

    def _reclaimed(self) -> None:
        if self._crew is not None:
            self._crew.suspect()

    async def _pass_on_asks(self) -> None:
        for ask in await self._outfit.store.asked(self.id):
            self._workers.cancel(ask)

    # --- chores -----------------------------------------------------------------------------------

    @property
    def _workers(self) -> Crew:
        if self._crew is None:
            raise RuntimeError("a node that is not on duty has no workers")
        return self._crew

    def _loop(self, name: str, pace: Pace, turn: Turn) -> Loop:
        return Loop(name, pace, turn, chance=self._outfit.chance.random, report=self.report)
