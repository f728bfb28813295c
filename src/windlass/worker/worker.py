"""A worker: claims jobs, runs them, settles what they come to, and ends in order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import assert_never

from windlass.clock import Chance, Clock
from windlass.core.claim import Claim
from windlass.core.job import JobId, NodeId, WorkerId
from windlass.core.outcome import HandedBack
from windlass.executors.base import Mode, Registry
from windlass.observe.events import Observer, Occupancy, WorkerDraining
from windlass.store import handing
from windlass.store.base import Effects, Store
from windlass.store.records import Standing
from windlass.worker.attempt import Attempt, Told
from windlass.worker.background import any_of
from windlass.worker.claimer import Claimer, Identity, Peek
from windlass.worker.isolated import Isolated
from windlass.worker.lease import Lease
from windlass.worker.notes import Notes
from windlass.worker.pools import Pools
from windlass.worker.runners import Runners
from windlass.worker.settings import WorkerSettings
from windlass.worker.settler import Settler, Will
from windlass.worker.slots import Slots
from windlass.worker.threads import InThreads
from windlass.worker.transaction import Opener
from windlass.worker.ways import Gear, Way

# How long attempts that were told to stop may clean up before they are handed back regardless.
CLEAN_UP = 2.5
# How soon a worker notices that its lease can be trusted again; and that it was revoked, of which
# it is told otherwise, too. That the lease is over it notices at that moment.
LEASE_CHECK, REVOKED_CHECK = 0.1, 0.5


class Worker:
    """Fills its slots with claims and settles what they come to.

    Made on the event loop it runs on; whoever makes it has enlisted it, and keeps its lease.
    """

    def __init__(  # noqa: PLR0913 — the ports of a worker, each by its name
        self,
        *,
        id: WorkerId,  # noqa: A002 — it is what it is called everywhere
        node: NodeId,
        settings: WorkerSettings,
        store: Store,
        effects: Effects,
        registry: Registry,
        lease: Lease,
        clock: Clock,
        chance: Chance,
        observer: Observer,
        pools: Pools,
        peek: Peek | None = None,
        slots: Slots | None = None,
        will: Will | None = None,
    ) -> None:
        """Join the parts; nothing begins before `run`.

        In `slots` an earlier worker of this process may have left attempts that would not end.
        """
        self.id = id
        # Told whenever it changes whether the worker could take more than it has.
        self.on_room: Callable[[bool], None] = lambda _: None
        self._told_room: bool | None = None
        self._told_running = 0
        self._lease = lease
        self._clock = clock
        self._observer = observer
        self._hurry = asyncio.Event()
        self._slot_free = asyncio.Event()
        self._fault: BaseException | None = None
        self._notes = Notes(store=store, clock=clock, chance=chance, observer=observer)
        self._settler = Settler(
            worker=id,
            store=store,
            notes=self._notes,
            clock=clock,
            chance=chance,
            observer=observer,
            will=will,
        )
        self._settler.on_settled = self._settled
        self._slots = slots or Slots(settings.slots, settings.threads)
        self._slots.offer = self._offer_slot
        self._gear = Gear(
            worker=id,
            executors=registry.get,
            slots=self._slots,
            settler=self._settler,
            opener=Opener(effects, self._notes, clock),
            helpers=pools.helpers(),
            lease=lease,
            clock=clock,
            chance=chance,
            observer=observer,
            on_low=self._ran_low,
            on_fault=self._failed,
        )
        self._settings = settings
        self._pools = pools
        modes = self._modes(registry.types())
        self._ways = {mode: self._way(mode) for mode in Mode if mode in modes.values()}
        identity = Identity(node=node, worker=id, settings=settings, modes=modes)
        self._claimer = Claimer(identity, store, self._gear, self._ways, peek)
        self._claimer.take_stock = self._take_stock
        self._slots.freed = self._claimer.freed
        # Nobody else rings for them, and this worker may have room by now.
        self._settler.on_handed_back = self._claimer.ring

    @property
    def settled(self) -> bool:
        """Whether everything that ended here is known to be settled."""
        return not self._settler.unsettled

    @property
    def has_room(self) -> bool:
        """Whether a slot is free that no claim waits for, and may be filled."""
        if self._claimer.draining:
            return False
        return self._slots.running + self._claimer.held < self._slots.limit

    def ring(self, *, wide: bool = True) -> None:
        """Look for jobs now, if there is room: a bell rang; `wide` for threads too."""
        self._claimer.ring(wide=wide)

    def hear(self, *, near: bool) -> None:
        """Stand by for jobs while what is for this worker alone is heard."""
        self._claimer.hear(near=near)

    def hand(self, news: str) -> None:
        """Take on the job of which these news tell, if it was handed to this worker."""
        handed = handing.read(news, self.id)
        if handed is not None:
            self._claimer.handed(handed)

    def learn(self, standing: Standing) -> None:
        """Take in how the fleet stands."""
        self._claimer.learn(standing)

    def knows(self, types: Iterable[str]) -> bool:
        """Whether it takes jobs of all these types."""
        return set(types) <= self._claimer.types

    def know(self, types: Iterable[str]) -> None:
        """Take jobs of these types from now on; some were declared after it was made."""
        modes = self._modes(types)
        for mode in set(modes.values()) - self._ways.keys():
            self._ways[mode] = self._way(mode)
        self._claimer.know(modes)

    def cancel(self, job: JobId, fence: int) -> None:
        """Stop an attempt that somebody asked to cancel, if it is still here."""
        for way in self._ways.values():
            held = way.line.remove(job, fence)
            if held is not None:
                self._gear.cancel(held)
                return
        for way, attempt in self._running():
            if attempt.claim.id == job and attempt.claim.fence == fence:
                way.tell(attempt, Told.CANCEL)

    def stop(self, *, drain: bool = True) -> None:
        """Claim no more and end: after what runs has ended, or at once unless `drain`."""
        self._gear.stopping = True
        self._tell_room(room=False)
        self._claimer.wake()
        if not drain:
            self._hurry.set()

    async def run(self) -> None:
        """Work until told to stop; everything is settled or handed back when this returns."""
        self._gear.lapses = self._lease.lapses
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._settler.run())
                aside = [
                    group.create_task(self._notes.run()),
                    group.create_task(self._watch_lease()),
                ]
                await self._claimer.run()
                await self._wind_down()
                for task in aside:
                    task.cancel()
                self._settler.close(hopeless=lambda: not self._lease.trusted())
        finally:
            for way in self._ways.values():
                await way.close()
            self._gear.helpers.close()
        if self._fault is not None:
            raise self._fault

    # --- what it can run --------------------------------------------------------------------------

    def _modes(self, types: Iterable[str]) -> dict[str, Mode]:
        return {type_: self._gear.executors(type_).mode for type_ in types}

    def _way(self, mode: Mode) -> Way:
        match mode:
            case Mode.LOOP:
                return Runners(self._gear)
            case Mode.THREAD:
                return InThreads(self._gear, self._pools.threads(), self._settings.pool_threads)
            case Mode.PROCESS:
                return Isolated(self._gear, self._pools, self._settings.processes)
            case _:
                assert_never(mode)

    # --- the end ----------------------------------------------------------------------------------

    async def _wind_down(self) -> None:
        """Hand back what has not started, let the rest end, and hand back what does not."""
        self._hand_back_held()
        self._tell_of_drain()
        await self._until_still(self._settings.drain, self._hurry)
        self._tell_all(Told.STOP)
        await self._until_still(CLEAN_UP)
        for _, attempt in self._running():
            self._gear.abandon(attempt, HandedBack())
        await self._claimer.look_back()

    def _tell_of_drain(self) -> None:
        running = sum(not attempt.abandoned for _, attempt in self._running())
        if running and not self._hurry.is_set():
            self._observer.on(WorkerDraining(self.id, running, self._settings.drain))

    async def _until_still(self, within: float, *cut_short: asyncio.Event) -> None:
        """Wait until nothing runs any more that could end, at most so long."""
        deadline = self._clock.monotonic() + within
        while any(not attempt.abandoned for _, attempt in self._running()):
            left = deadline - self._clock.monotonic()
            if left <= 0 or any(event.is_set() for event in cut_short):
                return
            self._slots.wanted = True
            self._slot_free.clear()
            await any_of(self._slot_free, *cut_short, within=left)

    # --- the lease --------------------------------------------------------------------------------

    async def _watch_lease(self) -> None:
        """Let go of everything when the lease can no longer be trusted; go on when it can."""
        trusted = True
        while True:
            lapses = self._lease.lapses
            # A node that was frozen may have renewed it before this worker came to look.
            unseen = lapses != self._gear.lapses
            if trusted and (unseen or not self._lease.trusted()):
                trusted = False
                self._hand_back_held()
                self._tell_all(Told.LEASE)
            self._gear.lapses = lapses
            if not trusted and self._lease.trusted():
                trusted = True
                self._claimer.doubt()
            if trusted:
                self._feed()  # a lease that lapsed and was renewed in between left them waiting
            left = self._lease.deadline - self._clock.monotonic()
            await asyncio.sleep(min(left, REVOKED_CHECK) if left > 0 else LEASE_CHECK)

    # --- what its parts tell ----------------------------------------------------------------------

    def _settled(self, claims: Sequence[Claim]) -> None:
        freed = [claim for claim in claims if claim.threads]
        for claim in freed:
            self._slots.drop(claim)
        if freed:
            self._claimer.freed()
        elif self._claimer.crowded:
            self._claimer.wake()

    def _ran_low(self) -> None:
        self._claimer.wake()

    def _offer_slot(self) -> None:
        """Give a slot that came free to whoever stands first in line for it."""
        if self._gear.stopping:
            self._slot_free.set()
            return
        self._feed()

    def _failed(self, error: BaseException) -> None:
        """End: this is a fault of the worker's own, not of a handler."""
        self._fault = self._fault or error
        self.stop(drain=False)

    def _take_stock(self) -> None:
        self._tell_room(room=self.has_room)
        if self._slots.running != self._told_running:
            self._told_running = self._slots.running
            self._observer.on(Occupancy(self.id, self._slots.running, self._slots.limit))

    def _tell_room(self, *, room: bool) -> None:
        if room != self._told_room:
            self._told_room = room
            self.on_room(room)

    def _feed(self) -> None:
        waiting = [way for way in self._ways.values() if way.line.claims]
        for way in sorted(waiting, key=lambda way: way.line.claims[0].rank):
            way.feed()

    # --- all of them ------------------------------------------------------------------------------

    def _running(self) -> Iterator[tuple[Way, Attempt]]:
        for way in self._ways.values():
            for attempt in way.running():
                yield way, attempt

    def _tell_all(self, why: Told) -> None:
        for way, attempt in self._running():
            way.tell(attempt, why)

    def _hand_back_held(self) -> None:
        for way in self._ways.values():
            self._gear.hand_back(way.line.take_back(len(way.line)))
