"""The worker processes of a node: kept in number, rung in turn, ended in order."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeAlias, assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from windlass.core.job import WorkerId
from windlass.observe.events import ChoreFailed, Observer, WorkerDied, WorkerKilled
from windlass.observe.relay import Told, unpacked
from windlass.store.records import Ask, Standing
from windlass.worker.background import any_of
from windlass.worker.control import (
    Assignment,
    Cancel,
    Happened,
    Heard,
    Hello,
    Report,
    Retired,
    Room,
    Scheduled,
    Started,
)
from windlass.worker.hand import Hand
from windlass.worker.node import Node, Outfit
from windlass.worker.settings import WorkerSettings

StartHand: TypeAlias = Callable[[], Awaitable[Hand]]

# A process that dies before it works will probably die again: each time wait longer. One that dies
# at work has left its suspects to the quarantine, and is replaced at once.
FIRST_PAUSE = 0.1
LAST_PAUSE = 5.0
# What a stopped process may take beyond its drain: to settle, hand back and close.
GRACE = 5.0


class CrewSettings(Struct, frozen=True, kw_only=True):
    """How many worker processes there are, and what each may take on."""

    processes: int = 1
    worker: WorkerSettings = field(default_factory=WorkerSettings)
    quarantine: int = 4  # processes for suspects, at most
    quarantine_memory: int = 1 << 30  # bytes one may take on top of the app
    quarantine_idle: float = 30.0  # seconds one is kept without a suspect


class ProcessCrew:
    """Keeps the processes of one node manned until it is told to end them."""

    def __init__(
        self,
        node: Node,
        settings: CrewSettings,
        start: StartHand,
        outfit: Outfit,
        counter: Observer | None = None,
    ) -> None:
        """Begin with nobody; see `work`. The counter is told what happens in the processes."""
        self.killed = 0
        # One process alone is nearer to the bell than its node is; of several the node wakes one.
        self.listens = settings.processes == 1
        self._node = node
        self._settings = settings
        self._start = start
        self._clock = outfit.clock
        self._chance = outfit.chance
        self._observer = outfit.observer
        self._counter = counter
        self._hands: list[Hand] = []
        self._posts: asyncio.TaskGroup | None = None
        self._ending = asyncio.Event()
        self._fewer = asyncio.Event()
        self._suspects = 0
        self._quarantines = 0
        self._standing: Standing | None = None

    # --- what the node asks of it -----------------------------------------------------------------

    def ring(self, *, wide: bool) -> None:
        """Wake one process that has room, and while there are suspects one for those too.

        One that listens has heard it.
        """
        self._wake(alone=False, wide=wide)
        if self._suspects:
            self._wake(alone=True, wide=wide)

    def cancel(self, ask: Ask) -> None:
        """Pass the ask on to the process that runs the job."""
        for hand in self._hands:
            if hand.worker == ask.worker:
                hand.say(Cancel(ask.job, ask.fence))

    def learn(self, standing: Standing) -> None:
        """Pass on how the fleet stands, and keep as many quarantines as there are suspects."""
        self._standing = standing
        self._suspects = standing.suspects
        for hand in self._hands:
            hand.learn(standing)
        self._open_quarantines()
        self._close_idle_quarantines()

    def suspect(self) -> None:
        """A death leaves suspects behind: be ready for them before the next renewal counts them."""
        self._suspects = max(self._suspects, 1)
        self._open_quarantines()

    # --- the posts --------------------------------------------------------------------------------

    async def work(self, first: Hand | None = None) -> None:
        """Keep every post manned until `end`; the first hand may have been started already."""
        async with asyncio.TaskGroup() as posts:
            self._posts = posts
            for number in range(self._settings.processes):
                posts.create_task(self._keep_manned(first if number == 0 else None))
            await self._ending.wait()

    async def _keep_manned(self, hand: Hand | None = None, *, alone: bool = False) -> None:
        pause = FIRST_PAUSE
        while not self._ending.is_set():
            worked = await self._man(hand, alone=alone)
            if worked is None:
                return
            hand = None
            pause = FIRST_PAUSE if worked else min(2 * pause, LAST_PAUSE)
            await any_of(self._ending, within=pause)

    async def _man(self, hand: Hand | None, *, alone: bool) -> bool | None:
        """Let a process serve until it ends: whether it ever worked, or nothing if told to end."""
        try:
            hand = hand or await self._start()
        except OSError as error:
            # No memory or no process to be had: as if it had died at once.
            self._observer.on(ChoreFailed("start", repr(error)))
            return False
        await self._serve(hand, alone=alone)
        return None if hand.stopped else hand.worked

    async def _serve(self, hand: Hand, *, alone: bool) -> None:
        self._hands.append(hand)
        try:
            if self._ending.is_set():
                hand.stop(drain=False)
            if await hand.hello() is not None and not hand.stopped:
                self._assign(hand, alone=alone)
                async for report in hand.reports:
                    self._heed(hand, report)
            await self._gone(hand)
        finally:
            hand.kill()
            self._hands.remove(hand)
            self._fewer.set()

    async def _gone(self, hand: Hand) -> None:
        code = await hand.ended()
        if hand.worker is not None:
            self._node.dismiss(hand.worker)
        if code != 0 and not hand.killed:
            self._observer.on(WorkerDied(hand.worker, hand.pid, code))
            self.suspect()

    def _assign(self, hand: Hand, *, alone: bool) -> None:
        settings = self._settings
        hand.assign(
            Assignment(
                self._node.id,
                WorkerId(self._chance.token()),
                replace(settings.worker, alone=True, slots=1) if alone else settings.worker,
                settings.quarantine_memory if alone else None,
                self._counter is not None,
                self.listens and not alone,
            )
        )
        if self._standing is not None:
            hand.learn(self._standing)

    def _heed(self, hand: Hand, report: Report) -> None:
        match report:
            case Started():
                hand.worked = True
                self._node.hurry("unpark")  # its types may be new to the fleet
            case Room(free):
                hand.has_room(self._clock.monotonic() if free else None)
            case Heard(words):
                self._node.heed(words)
            case Scheduled():
                self._node.hurry("promote")
            case Happened(events):
                self._count(events)
            case Retired():
                hand.stopped = True
            case Hello():
                return
            case _:
                assert_never(report)

    def _count(self, events: Iterable[Told]) -> None:
        if self._counter is not None:
            for told in events:
                self._counter.on(unpacked(told))

    def _wake(self, *, alone: bool, wide: bool) -> None:
        for hand in self._hands:
            if hand.alone == alone and hand.room_since is not None and not hand.listens:
                # The one that was woken goes to the end, so that all have their turn.
                self._hands.remove(hand)
                self._hands.append(hand)
                hand.ring(wide=wide)
                return

    # --- the quarantine ---------------------------------------------------------------------------

    def _open_quarantines(self) -> None:
        busy = sum(hand.alone and hand.room_since is None for hand in self._hands)
        wanted = min(self._suspects + busy, self._settings.quarantine) if self._suspects else 0
        while self._posts and not self._ending.is_set() and self._quarantines < wanted:
            self._quarantines += 1
            self._posts.create_task(self._keep_quarantine())

    async def _keep_quarantine(self) -> None:
        try:
            await self._keep_manned(alone=True)
        finally:
            self._quarantines -= 1

    def _close_idle_quarantines(self) -> None:
        if self._suspects:
            return
        idle_since = self._clock.monotonic() - self._settings.quarantine_idle
        for hand in self._hands:
            if hand.alone and hand.room_since is not None and hand.room_since < idle_since:
                hand.retire()

    # --- the end ----------------------------------------------------------------------------------

    async def end(self, *, drain: bool, again: asyncio.Event) -> None:
        """Let every process end, by the drain unless it is skipped `again`; kill what does not."""
        self._ending.set()
        self._stop_all(drain=drain)
        if drain:
            await self._all_gone(self._settings.worker.drain + GRACE, unless=again)
        if drain and again.is_set():
            self._stop_all(drain=False)
        if not drain or again.is_set():
            await self._all_gone(GRACE)
        for hand in self._hands:
            hand.kill()
            self.killed += 1
            self._observer.on(WorkerKilled(hand.worker, hand.pid))

    def _stop_all(self, *, drain: bool) -> None:
        for hand in self._hands:
            hand.stop(drain=drain)

    async def _all_gone(self, within: float, unless: asyncio.Event | None = None) -> None:
        deadline = self._clock.monotonic() + within
        while self._hands and (left := deadline - self._clock.monotonic()) > 0:
            if unless is not None and unless.is_set():
                return
            self._fewer.clear()
            await any_of(self._fewer, *([unless] if unless else []), within=left)
