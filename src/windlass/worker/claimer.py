"""Claims jobs when there is room for them, and lets the claims stand in line."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, KeysView, Mapping
from operator import attrgetter
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from windlass.core.claim import Claim
from windlass.core.job import Lane, NodeId, WorkerId
from windlass.core.marks import Look
from windlass.core.placement import Appetite, Head, Widest, reserves
from windlass.executors.base import Mode
from windlass.observe.events import ChoreFailed, JobsClaimed
from windlass.store.base import Store
from windlass.store.handing import Handed
from windlass.store.records import Claimed, Demand, Standing
from windlass.worker.doubts import LOOK_BACK, Doubts
from windlass.worker.front import Front
from windlass.worker.fronts import Fronts
from windlass.worker.hunger import NONE, Hunger
from windlass.worker.persist import AWAY, Patience, Unfit, ask
from windlass.worker.reckoning import Reckoning
from windlass.worker.settings import WorkerSettings
from windlass.worker.standby import Standby
from windlass.worker.suspicion import Suspicion
from windlass.worker.ways import Gear, Way

Peek: TypeAlias = Callable[[Demand], Awaitable[Head | None]]

# How soon to see again whether the lease can be trusted.
LEASE_CHECK = 0.1
# Held claims are looked over this often, for those whose turn does not come.
LOOK_OVER = 1.0
# How soon to see again whether a wide job that threads are kept free for has found its place.
PEEK = 0.2

_priority = attrgetter("priority")


class Identity(Struct, frozen=True, kw_only=True):
    """Who claims, for whom, and what it may take on."""

    node: NodeId
    worker: WorkerId
    settings: WorkerSettings
    modes: Mapping[str, Mode]  # how each type that it knows is run


class Claimer:
    """Claims from one lane after the other, one claim at a time."""

    def __init__(
        self,
        identity: Identity,
        store: Store,
        gear: Gear,
        ways: Mapping[Mode, Way],
        peek: Peek | None = None,
    ) -> None:
        """Begin with nothing learnt about the fleet."""
        self.take_stock: Callable[[], None] = lambda: None  # tells how much room is left
        self.crowded = False  # it would claim more if fewer attempts were waiting to be settled
        self.draining = False  # it was told to claim no more
        self._identity = identity
        self._settings = identity.settings
        self._store = store
        self._gear = gear
        self._ways = ways
        self._peek = peek
        self._hunger = Hunger(identity.settings, gear.slots, gear.settler, ways)
        self._standby = Standby(store, identity.worker, identity.settings.poll)
        self._doubts = Doubts(store, gear, ways, self._standby)
        self._standby.doubt = self._doubts.arise
        self._suspicion = Suspicion(identity.settings)
        self._patience = Patience(gear.chance)
        self._wake = asyncio.Event()
        self._fronts = Fronts(identity.settings.queues, identity.modes)
        self._last = Lane.THREADS
        self._rings = 0
        self._looked_over = gear.clock.monotonic()
        self._aging_us = 0
        self._widest = Widest()
        self._reckoning = Reckoning()

    @property
    def held(self) -> int:
        """Claims that wait for a place."""
        return self._hunger.held

    @property
    def types(self) -> KeysView[str]:
        """The types of job that it claims."""
        return self._identity.modes.keys()

    def know(self, modes: Mapping[str, Mode]) -> None:
        """Claim jobs of these types from now on, some of which may be run in ways of their own."""
        self._identity = replace(self._identity, modes=modes)
        self._hunger.start_anew()
        self._fronts.know(modes)
        self._wake.set()

    def wake(self) -> None:
        """See again what there is to do."""
        self._wake.set()

    def ring(self, *, wide: bool = True) -> None:
        """Look at every lane now, if there is room; unless `wide`, not at the one for threads."""
        self._rings += 1
        self._fronts.ring(wide=wide)
        self._wake.set()

    def freed(self) -> None:
        """Look for jobs that had not enough threads: some came free."""
        self._fronts.freed()
        self._wake.set()

    def doubt(self) -> None:
        """Ask the store which claims it believes this worker holds, before claiming more."""
        self._doubts.arise()
        self._wake.set()

    def hear(self, *, near: bool) -> None:
        """Take in whether what is for this worker alone is heard from now on."""
        self._standby.hear(near=near)
        self._wake.set()

    def handed(self, handed: Handed) -> None:
        """Take on a job that this worker stood by for."""
        if not self._standby.believes(handed.number):
            return  # the store was asked for it since, or it was heard before
        now = self._gear.clock.monotonic()
        self._hunger.weigh(now)
        self._take_on([handed.claim], self._standby.lapses, began=now, ended=now)
        self._wake.set()

    def learn(self, standing: Standing) -> None:
        """Take in how the fleet stands."""
        now = self._gear.clock.monotonic()
        self._reckoning.hear(standing.now_us, now)
        self._widest = self._widest.hear(standing.widest, now, self._settings.patience)
        self._suspicion.hear(standing.suspects, now)
        if self._suspicion.waiting:
            self._wake.set()
        if standing.aging_us != self._aging_us:
            self._aging_us = standing.aging_us
            self._fronts.reset()
        draining = self._identity.worker in standing.draining
        if draining != self.draining:
            self.draining = draining
            self._turn_to_drain()

    def _turn_to_drain(self) -> None:
        """Hand back what has not started, or look for jobs again."""
        if self.draining:
            for way in self._ways.values():
                self._gear.hand_back(way.line.take_back(len(way.line)))
        self.ring()

    async def run(self) -> None:
        """Claim until the worker stops."""
        while not self._gear.stopping:
            self._wake.clear()
            now = self._gear.clock.monotonic()
            self._look_over(now)
            self._hunger.weigh(now)
            try:
                await self._turn(now)
            except AWAY as away:
                self._report(str(away), away=True)
                self._doubts.answer_lost()
                await self._patience.pause()
            except Unfit as unfit:
                self._report(str(unfit))
                await self._patience.pause()
        await self._stand_down()

    async def _turn(self, now: float) -> None:
        if not self._gear.may_start(now):
            await self._rest(LEASE_CHECK)
        elif (due := self._doubts.next) is not None and due <= now:
            await self._adopt()
        elif wanted := self._wanted(now):
            await self._claim_from(*wanted)
        elif step := self._standby.step(now, self._gear.lapses, ready=self._ready(now)):
            await step
        else:
            await self._rest(self._next_look(now))

    # --- what to claim ----------------------------------------------------------------------------

    def _wanted(self, now: float) -> tuple[Front, Appetite[Mode]] | None:
        for lane in self._lanes(now):
            appetite = self._appetite(lane)
            if appetite.limit > 0:
                front = self._fronts.at(lane, appetite.ways)
                if front.due <= now:
                    self._last = lane
                    return front, appetite
        return None

    def _lanes(self, now: float) -> tuple[Lane, ...]:
        if self.draining:
            return ()
        if self._settings.alone:
            return (Lane.ALONE,)
        if self._stands_back(now):
            return ()
        if self._suspicion.waiting:
            return (Lane.ALONE, Lane.OPEN, Lane.THREADS)
        # In turns, so that neither lane waits for the other to run dry.
        last_was_open = self._last is Lane.OPEN
        return (Lane.THREADS, Lane.OPEN) if last_was_open else (Lane.OPEN, Lane.THREADS)

    def _ready(self, now: float) -> bool:
        """Whether a job that asks for no thread could begin at once."""
        return Lane.OPEN in self._lanes(now) and self._hunger.ready

    def _stands_back(self, now: float) -> bool:
        hunger = self._hunger
        return self._suspicion.stands_back(now, idle=hunger.idle, stuck=hunger.stuck)

    def _appetite(self, lane: Lane) -> Appetite[Mode]:
        if lane is Lane.OPEN:
            return self._hunger.for_open()
        return self._hunger.for_threads() if lane is Lane.THREADS else self._hunger.for_alone()

    # --- claiming ---------------------------------------------------------------------------------

    async def _claim_from(self, front: Front, appetite: Appetite[Mode]) -> None:
        if front.lane is Lane.ALONE and self._standby.waiting:
            # A suspect has no company: nothing may be handed over while it is on its way.
            await self._standby.leave()
        else:
            await self._claim(front, appetite)

    async def _claim(self, front: Front, appetite: Appetite[Mode]) -> None:
        rings, lapses = self._rings, self._gear.lapses
        began = self._gear.clock.monotonic()
        ranges, swept = front.look_at(began, self._reckoning.at(began), self._aging_us)
        demand = Demand(
            node=self._identity.node,
            worker=self._identity.worker,
            lane=front.lane,
            limit=appetite.limit,
            types=front.types,
            queues=front.queues,
            free_threads=self._gear.slots.free_threads,
            threads=self._settings.threads,
            widest=max(self._widest.at(began), self._settings.threads),
            ranges=ranges,
        )
        if front.lane is Lane.THREADS and await self._keeps_free(demand):
            front.due = self._gear.clock.monotonic() + PEEK
            return
        claimed = await ask(self._store.claim(demand))
        ended = self._gear.clock.monotonic()
        self._patience.reset()
        if self._trusts(lapses, ended):
            self._accept(claimed.claims, appetite.ways)
        else:
            # Others may have them, or had them meanwhile, so they do not wait here for trust.
            self._gear.hand_back(claimed.claims)
        if front.lane is Lane.ALONE:
            self._suspicion.claimed(one=bool(claimed.claims))
            # Not when it rests: the store may be away until then, and the supervisor reckons with
            # how many quarantines are free.
            self.take_stock()
        if 0 < len(claimed.claims) < demand.limit:
            await asyncio.sleep(0)  # a few jobs of a quiet line begin first, and thinking waits
        self._answered(front, demand, claimed, began=began, ended=ended, swept=swept)
        if self._rings != rings:
            front.rung()  # the job it rang for may have come too late for this claim

    async def _adopt(self) -> None:
        """Take on what was granted although its answer got lost, as far as there is room for it.

        Threads may have been granted to others meanwhile, and suspects have no company; such claims
        are handed back, and found anew.
        """
        lapses, began = self._gear.lapses, self._gear.clock.monotonic()
        claims = await self._doubts.resolve()
        ended = self._gear.clock.monotonic()
        self._patience.reset()
        self._hunger.weigh(ended)
        self._take_on(claims, lapses, began=began, ended=ended)

    def _take_on(self, claims: list[Claim], lapses: float, *, began: float, ended: float) -> None:
        open_now = self._trusts(lapses, ended) and Lane.OPEN in self._lanes(ended)
        appetite = self._hunger.for_open() if open_now else NONE
        ours = self._fitting(claims, appetite)
        self._accept(ours, appetite.ways)
        self._claimed(Lane.OPEN, len(ours), ended - began)
        taken = {claim.id for claim in ours}
        self._gear.hand_back(claim for claim in claims if claim.id not in taken)

    def _fitting(self, claims: list[Claim], appetite: Appetite[Mode]) -> list[Claim]:
        modes = self._identity.modes
        fit = [
            claim
            for claim in claims
            if claim.lane is Lane.OPEN and modes.get(claim.type) in appetite.ways
        ]
        return fit[: appetite.limit]

    async def _keeps_free(self, demand: Demand) -> bool:
        """Whether the free threads are kept for a wide job at the head of the lane."""
        free, threads = demand.free_threads, demand.threads
        peek = self._peek
        if peek is None or free == threads:
            return False
        head = await ask(peek(demand))
        patience = self._settings.patience
        return reserves(head, free=free, threads=threads, widest=demand.widest, patience=patience)

    def _answered(
        self,
        front: Front,
        demand: Demand,
        claimed: Claimed,
        *,
        began: float,
        ended: float,
        swept: bool,
    ) -> None:
        claims = claimed.claims
        if claimed.now_us:
            self._reckoning.hear(claimed.now_us, ended)
        look = Look(
            swept=swept,
            full=len(claims) >= demand.limit,
            now_us=self._reckoning.at(ended),
            ended=ended,
            took=ended - began,
            highest=claims[-1].rank if claims else None,
            priorities=set(map(_priority, claims)),
        )
        # Jittered, lest the workers of a fleet look all at once.
        poll = self._settings.poll * (0.75 + 0.25 * self._gear.chance.random())
        front.answered(look, len(claims), poll=poll)
        self._claimed(front.lane, len(claims), look.took)

    def _claimed(self, lane: Lane, came: int, took: float) -> None:
        if came:
            self._standby.came(self._gear.clock.monotonic())
            self._gear.observer.on(JobsClaimed(self._identity.worker, lane, came, took))

    def _trusts(self, lapses: float, now: float) -> bool:
        """Whether claims may start that were granted when the lease had lapsed so often."""
        return self._gear.may_start(now) and self._gear.lapses == lapses

    def _accept(self, claims: list[Claim], asked: frozenset[Mode]) -> None:
        modes = self._identity.modes
        by_mode: dict[Mode, list[Claim]] = {}
        for claim in claims:
            by_mode.setdefault(modes[claim.type], []).append(claim)
            if claim.threads:
                self._gear.slots.grant(claim)
        self._hunger.came(by_mode, asked)
        for mode, theirs in by_mode.items():
            self._ways[mode].line.add(theirs)
            self._ways[mode].feed()

    # --- waiting ----------------------------------------------------------------------------------

    def _next_look(self, now: float) -> float | None:
        """Seconds until some lane is due that there is room for."""
        waits = [LOOK_OVER] if self._hunger.held else []
        if self._doubts.next is not None:
            waits.append(self._doubts.next - now)
        if self._standby.near and self._ready(now):
            waits.append(self._standby.due - now)
        for lane in self._lanes(now):
            appetite = self._appetite(lane)
            if appetite.limit > 0:
                waits.append(self._fronts.at(lane, appetite.ways).due - now)
        return min(waits, default=None)

    async def _rest(self, wait: float | None) -> None:
        if self._stands_back(self._gear.clock.monotonic()):
            self._hunger.call_when_one_ends()
        else:
            self._hunger.call_when_low()
        self.crowded = self._hunger.crowded
        self.take_stock()
        if wait is None:
            await self._wake.wait()
            return
        alarm = asyncio.get_running_loop().call_later(wait, self._wake.set)
        await self._wake.wait()
        alarm.cancel()

    def _look_over(self, now: float) -> None:
        """Hand back what was held for too long: other workers may have room for it."""
        if now - self._looked_over < LOOK_OVER:
            return
        self._looked_over = now
        self._gear.hand_back(self._hunger.surplus())

    # --- leaving ----------------------------------------------------------------------------------

    async def _stand_down(self) -> None:
        try:
            async with asyncio.timeout(LOOK_BACK):
                await self._standby.leave()
        except (*AWAY, Unfit, TimeoutError):
            self._doubts.arise()

    async def look_back(self) -> None:
        """Before leaving: hand back what was granted although its answer got lost."""
        try:
            self._gear.hand_back(await self._doubts.resolve_before_leaving())
        except (*AWAY, Unfit, TimeoutError) as error:
            self._report(str(error), away=True)  # it is reclaimed once this worker is gone

    def _report(self, error: str, *, away: bool = False) -> None:
        self._gear.observer.on(ChoreFailed("claim", error, away=away))
