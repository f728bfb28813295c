"""Where an app lives: on an event loop, since connections cannot move to another."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from itertools import cycle

from windlass.app.catalog import Catalog
from windlass.app.lock import Locks
from windlass.app.pile import Pile
from windlass.app.ports import Backend, Ports
from windlass.app.sender import Sender
from windlass.app.watch import Watcher
from windlass.core.errors import StoreAway
from windlass.core.job import Job, JobId
from windlass.running import running_loop

# While one statement is answered the next piles up; more at once would only share less.
READS = 2


class Home:
    """An open store and bell, with those who send to it and those who wait for it."""

    def __init__(self, backend: Backend, ports: Ports) -> None:
        """Live on the running event loop."""
        self.loop = asyncio.get_running_loop()
        self.store, self.bell, self.hail = backend.store, backend.bell, backend.hail
        self._here = backend.here
        self.locks = Locks(self.store, self.hail, ports.clock, ports.chance)
        self.sender = Sender(backend, ports.clock)
        self.watcher = Watcher(self._look)
        self.catalog = Catalog(self.store.types, ports.clock)
        self._reads = cycle([Pile(self._look) for _ in range(READS)])

    def at_once(self) -> bool:
        """Whether a thread without an event loop would be served right now, behind nobody."""
        return self._here is not None and self._here.at_once()

    async def read(self, job_id: JobId) -> Job | None:
        """One job; those who read at the same time share a statement."""
        return await next(self._reads).add(job_id)

    async def close(self) -> None:
        """Let go of everything, after what is under way; whatever fails or is cancelled."""
        async with AsyncExitStack() as closing:
            closing.push_async_callback(self.store.close)
            closing.push_async_callback(self.hail.close)
            closing.push_async_callback(self.bell.close)
            await self.sender.close()

    async def _look(self, ids: list[JobId]) -> list[Job | None]:
        found = {job.id: job for job in await self.store.find(list(set(ids)))}
        return [found.get(job_id) for job_id in ids]


class Homes:
    """The homes of one app, by event loop; each is opened when it is first needed."""

    def __init__(self, ports: Ports) -> None:
        """Open nothing yet."""
        self._ports = ports
        self._homes: dict[asyncio.AbstractEventLoop, Home] = {}
        self._doors: dict[asyncio.AbstractEventLoop, asyncio.Lock] = {}

    async def here(self) -> Home:
        """The home on the running event loop; a thread that runs none has the one at hand."""
        loop = running_loop()
        home = self.near() if loop is None else self._homes.get(loop)
        return home or await self._open(loop)

    def near(self) -> Home | None:
        """A home whose event loop is running; asked by a thread that runs none."""
        for loop, home in list(self._homes.items()):
            if loop.is_running():
                return home
        return None

    async def close(self) -> None:
        """Leave the home on the running event loop; the next verb opens another."""
        loop = asyncio.get_running_loop()
        # By the same door: one that is just being opened would be left open.
        async with self._door(loop):
            home = self._homes.pop(loop, None)
            if home is not None:
                await home.close()

    def forget(self) -> None:
        """Leave every home as it is: they belong to the process that this one was forked from."""
        self._homes.clear()
        self._doors.clear()

    async def _open(self, loop: asyncio.AbstractEventLoop | None) -> Home:
        if loop is None:
            raise StoreAway("the app was closed meanwhile")
        async with self._door(loop):
            if loop not in self._homes:
                self._forget_ended()
                self._homes[loop] = Home(await self._ports.connect(), self._ports)
            return self._homes[loop]

    def _door(self, loop: asyncio.AbstractEventLoop) -> asyncio.Lock:
        return self._doors.setdefault(loop, asyncio.Lock())

    def _forget_ended(self) -> None:
        """Each asyncio.run of a program that calls it repeatedly leaves a closed loop behind."""
        for loop in [loop for loop in self._doors if loop.is_closed()]:
            self._homes.pop(loop, None)
            self._doors.pop(loop, None)
