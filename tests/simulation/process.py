"""A simulated process: event loops that live, freeze and die together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from tests.simulation.kernel import Kernel, Loop
from tests.simulation.machine import MachineClock, Seeded
from windlass.worker.background import background

# How soon a process that was held up does what its clock has told it meanwhile.
HEEDS = 0.05


class Process:
    """One process on one machine, from its start to its death or its end."""

    def __init__(self, world: Any, name: str, clock: MachineClock, *, shared: bool = True) -> None:
        self.world = world
        self.name = name
        self.clock = clock
        self.shared = shared
        self.kernel: Kernel = world.kernel
        self.chance = Seeded(world.plan.seed, name)
        self.weather = Seeded(world.plan.seed, f"{name}/weather").random
        self.dead = False
        self.ended = False  # in order, or by an error
        self.stopping = False
        self.stopping_at = 0.0
        self.drain = 0.0  # how long its attempts may go on then
        self.hurt_at = -1.0  # when a request of its failed last
        self.capacity = 0  # threads of its worker
        self.frozen = 0
        self.woke_at = -1e9  # from being frozen
        self.hogged_until = -1e9  # by a handler that gives way to nobody
        self.flaky = 0  # so many requests will fail
        self.cut = 0  # off from the database
        self.ill_at = self.kernel.now  # until when something last befell it
        self.loops: list[Loop] = []
        self.loop = self.thread()
        self.parent: Process | None = None
        self.children: list[Process] = []
        self.cell: Any = None  # the deadline that it shares with its children
        self.offspring: Any = None  # itself, as its parent knows it
        self.pipes: tuple[Any, ...] = ()
        self.unborn: Any = None

    def __repr__(self) -> str:
        return self.name

    def thread(self) -> Loop:
        """An event loop of its own, as on a thread."""
        loop = Loop(self.kernel, self, self.clock.offset)  # type: ignore[abstract]
        self.loops.append(loop)
        return loop

    def child(self) -> Process:
        """Another process of the same machine, which dies with this one."""
        name = f"{self.name}/c{len(self.children) + 1}"
        other = Process(self.world, name, self.clock, shared=self.shared)
        other.parent = self
        self.children.append(other)
        return other

    @property
    def last_hurt(self) -> float:
        """When a request of its own or of a child failed last."""
        return max([self.hurt_at, *(one.hurt_at for one in self.children)])

    @property
    def gone(self) -> bool:
        """Whether nothing of it runs any more."""
        return self.dead or self.ended

    @property
    def well_for(self) -> float | None:
        """Seconds since something befell it; nothing if it is gone."""
        if self.gone:
            return None
        ill = self.frozen or self.cut
        return 0.0 if ill else max(0.0, self.kernel.now - self.ill_at)

    @property
    def acts(self) -> bool:
        """Whether it runs, and has for long enough to heed what its clock says."""
        held_until = max(self.woke_at, self.hogged_until)
        return not self.gone and not self.frozen and self.kernel.now - held_until > HEEDS

    def hurt(self, *, renewing: bool, lasts: float = 0.0) -> None:
        """A request of its failed, perhaps one by which it holds its lease."""
        self.hurt_at = self.kernel.now
        if renewing:
            self.suffers(lasts)

    def suffers(self, lasts: float = 0.0) -> None:
        """Something befalls it, for so many seconds."""
        self.ill_at = max(self.ill_at, self.kernel.now + lasts)

    def freeze(self) -> None:
        """Stop, as by SIGSTOP."""
        self.frozen += 1
        for loop in self.loops:
            loop.freeze()

    def thaw(self) -> None:
        """Go on; what it was waiting for may have run out of time."""
        self.frozen -= 1
        self.woke_at = self.kernel.now
        self.hurt(renewing=True)
        for loop in self.loops:
            loop.thaw()

    def kill(self) -> None:
        """Die, as by SIGKILL."""
        self.dead = True
        for loop in self.loops:
            loop.kill()

    @asynccontextmanager
    async def aside(self, work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
        """Run work on another thread of this process; see `own_thread`, which this stands for."""
        other, home = self.thread(), self.loop
        ended = asyncio.Event()
        problems: list[BaseException] = []
        tasks: list[asyncio.Task[None]] = []

        async def run() -> None:
            try:
                await work
            except BaseException as problem:  # noqa: BLE001 — passed on to the other thread
                problems.append(problem)
            home.call_soon_threadsafe(ended.set)

        async def watch() -> None:
            await ended.wait()
            if problems:
                raise problems[0]

        other.call_soon_threadsafe(lambda: tasks.append(other.create_task(run())))
        try:
            async with background(watch()):
                yield
        finally:
            if not ended.is_set():
                other.call_soon_threadsafe(lambda: tasks[0].cancel())  # noqa: PLW0108 — it is made later
                await ended.wait()
