"""One running node of worker processes, from its first signal to its last."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from enum import IntEnum
from typing import TypeAlias

from msgspec import Struct

from windlass.config import Settings
from windlass.core.job import NodeId
from windlass.core.secrets import without_password
from windlass.observe.events import (
    Connected,
    Observer,
    ShutdownAsked,
    ShutdownComplete,
    WorkerDied,
)
from windlass.store.records import NodeRecord
from windlass.worker.background import any_of
from windlass.worker.crew import CrewSettings, ProcessCrew
from windlass.worker.hand import Hand
from windlass.worker.lease import SharedLease
from windlass.worker.muster import Muster
from windlass.worker.node import Node, Outfit

# How long to wait after each process that was killed while it loaded the app; then give up.
LOAD_PAUSES = (0.1, 0.2, 0.4, 0.8, 1.6)


class Charge(Struct, frozen=True):
    """What a supervisor is given once the app has said how it is set."""

    outfit: Outfit
    crew: CrewSettings
    version: str  # of this program, for the fleet to know
    counter: Observer | None = None  # is told what happens in the worker processes


OpenCharge: TypeAlias = Callable[[Settings], AbstractAsyncContextManager[Charge]]


class Exit(IntEnum):
    """How a supervisor ended, for scripts."""

    STOPPED = 0  # asked to stop, and everything ended by itself
    FAILED = 1  # something unforeseen; Python's own code for an error nobody caught
    UNFIT = 2  # the app could not be loaded: nothing was started
    CUT_SHORT = 3  # asked to stop, but some worker had to be killed


class Supervisor:
    """Starts worker processes, keeps the lease by which they live, and ends them on a signal.

    It never imports the user's app: its processes do, and tell it where the jobs are. Whatever a
    handler does to its process, the lease goes on.
    """

    def __init__(
        self,
        muster: Muster,
        open_charge: OpenCharge,
        *,
        observer: Observer,
        prepare: Callable[[], None] = lambda: None,
    ) -> None:
        """Take what starts worker processes, and a way to what it works with.

        Whatever that takes time to `prepare` is done while the first process loads the app.
        """
        self._muster = muster
        self._open_charge = open_charge
        self._prepare = prepare
        self._observer = observer
        self._first: Hand | None = None
        self._stop = asyncio.Event()
        self._again = asyncio.Event()

    async def run(self) -> Exit:
        """Run until a signal; a second one skips the drain."""
        with self._heeding_signals():
            try:
                settings = await self._load()
                if settings is None:
                    return Exit.STOPPED if self._stop.is_set() else Exit.UNFIT
                async with self._open_charge(settings) as charge:
                    self._observer.on(Connected(without_password(settings.store)))
                    return await self._tours(charge, self._first)
            finally:
                if self._first is not None:
                    self._first.kill()

    async def _load(self) -> Settings | None:
        """Start the first process and have it load the app; answer with how that is set."""
        for pause in LOAD_PAUSES:
            if self._stop.is_set():
                return None
            first = self._first = await self._start()
            self._prepare()
            hello = await first.hello()
            if hello is not None:
                return hello.settings
            code = await first.ended()
            if self._stop.is_set() or code >= 0:
                return None
            # Killed from outside, perhaps for want of memory: that says nothing about the app.
            self._observer.on(WorkerDied(None, first.pid, code))
            await any_of(self._stop, within=pause)
        return None

    async def _tours(self, charge: Charge, first: Hand | None) -> Exit:
        killed = 0
        while not self._stop.is_set():
            # Forgotten by the fleet, a node's claims are gone and its name is spent: all its
            # processes end, and a new node begins with new ones.
            killed += await self._tour(charge, first)
            first = None
        self._observer.on(ShutdownComplete(killed))
        return Exit.CUT_SHORT if killed else Exit.STOPPED

    async def _tour(self, charge: Charge, first: Hand | None) -> int:
        """Be one node until it is stopped or forgotten; answer with how many had to be killed."""
        outfit = charge.outfit
        record = _record(outfit.chance.token(), charge.version)
        node = Node(record, outfit, SharedLease(self._muster.memory, outfit.clock))
        crew = ProcessCrew(node, charge.crew, self._start, outfit, charge.counter)
        async with node.on_duty(crew), asyncio.TaskGroup() as group:
            group.create_task(crew.work(first))
            await any_of(self._stop, node.forgotten)
            await crew.end(drain=self._stop.is_set(), again=self._again)
        return crew.killed

    async def _start(self) -> Hand:
        return await Hand.of(self._muster.next())

    @contextmanager
    def _heeding_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        heeded = (signal.SIGTERM, signal.SIGINT)
        for number in heeded:
            loop.add_signal_handler(number, self._on_signal, number)
        try:
            yield
        finally:
            for number in heeded:
                loop.remove_signal_handler(number)

    def _on_signal(self, number: signal.Signals) -> None:
        asked_before = self._stop.is_set()
        self._observer.on(ShutdownAsked(number.name, drain=not asked_before))
        (self._again if asked_before else self._stop).set()
        if self._first is not None and self._first.worker is None:
            self._first.stop(drain=False)  # still loading the app: there is nothing to drain


def _record(token: str, version: str) -> NodeRecord:
    return NodeRecord(id=NodeId(token), host=socket.gethostname(), pid=os.getpid(), version=version)
