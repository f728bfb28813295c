"""The nodes of a simulated fleet: the shipped node, worker and chores in simulated processes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from typing import Any

from msgspec.structs import replace

from tests.simulation import stage
from tests.simulation.bell import TowerBell
from tests.simulation.database import Line
from tests.simulation.effects import LateEffects
from tests.simulation.estate import Heritage
from tests.simulation.kernel import Loop
from tests.simulation.plan import Knobs, NodePlan
from tests.simulation.process import Process
from windlass.core.job import NodeId, WorkerId
from windlass.store.base import Store
from windlass.store.sql_store import SqlStore
from windlass.upkeep.deaths import NO_WILLS, NOBODY
from windlass.upkeep.rota import Tools, rota
from windlass.worker.embedded import Shift
from windlass.worker.hired import Hired, record_of
from windlass.worker.lease import Lease
from windlass.worker.node import Outfit
from windlass.worker.settings import WorkerSettings
from windlass.worker.slots import Slots
from windlass.worker.tenure import LeaseTerms
from windlass.worker.worker import Worker

VERSION = "simulated"


class NoPools:
    """Neither threads nor processes: every handler of a simulation is a coroutine."""

    def threads(self) -> Any:
        """None."""
        return self

    def helpers(self) -> Any:
        """None."""
        return self

    async def process(self, threads: int) -> Any:
        """None."""
        raise NotImplementedError

    def close(self) -> None:
        """Nothing is open."""


def store_of(process: Process, loop: Loop | None = None) -> SqlStore:
    """The shipped store, over a line of this process."""
    line = Line(process.world.server, process, loop or process.loop, shared=process.shared)
    return SqlStore(line, process.clock)


def worker_settings(plan: NodePlan, knobs: Knobs, *, embedded: bool) -> WorkerSettings:
    """What a worker of this node may take on."""
    return WorkerSettings(
        slots=plan.slots,
        threads=plan.threads,
        queues=plan.queues,
        poll=knobs.poll,
        drain=knobs.drain,
        patience=knobs.patience,
        claim_batch=plan.claim_batch,
        max_held=plan.max_held,
        takes_suspects=embedded,
    )


def outfit_of(process: Process, store: Store, **ports: Any) -> Outfit:
    """What a node works with, in this process."""
    world = process.world
    knobs: Knobs = world.plan.knobs
    bell = TowerBell(world.tower, process.loop)
    tools = Tools(
        store=store,
        bell=bell,
        chance=process.chance,
        observer=world.observer(process),
        deaths=world if knobs.locks else NOBODY,
        wills=Heritage(world.estate, process.clock) if knobs.wills else NO_WILLS,
    )
    return Outfit(
        store=store,
        open_lease_store=partial(_second_store, process),
        bell=bell,
        clock=process.clock,
        chance=process.chance,
        observer=world.observer(process),
        rota=partial(rota, tools),
        answering=lambda _: nullcontext(),
        terms=LeaseTerms(ttl=knobs.ttl, every=knobs.every),
        **ports,
    )


@asynccontextmanager
async def _second_store(process: Process) -> AsyncIterator[Store]:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, Loop)
    yield store_of(process, loop)


def hired(process: Process, store: SqlStore, node: NodeId, lease: Lease, **rest: Any) -> Hired:
    """The shipped worker, ready to run in this process."""
    worker_id, settings = rest["worker"], rest["settings"]
    observer = rest.get("observer") or process.world.observer(process)
    known = stage.registry()
    assert isinstance(store.database, Line)
    worker = Worker(
        id=worker_id,
        node=node,
        settings=settings,
        store=store,
        effects=LateEffects(store.database, process.clock),
        registry=known,
        lease=lease,
        clock=process.clock,
        chance=process.chance,
        observer=observer,
        pools=NoPools(),
        peek=store.head,
        slots=rest.get("slots"),
        will=process.world.will(worker_id, process),
    )
    record = record_of(worker, node, settings, known.types())
    if process.parent is not None:
        record = replace(record, pid=record.pid + 1)  # by that one knows who is supervised
    process.capacity = settings.threads
    return Hired(
        worker=worker,
        record=record,
        store=store,
        bell=TowerBell(process.world.tower, process.loop),
        observer=observer,
        types=stage.PUBLISHED,
    )


class EmbeddedNode:
    """A node whose worker runs inside of the same process."""

    def __init__(self, process: Process, plan: NodePlan) -> None:
        self._process = process
        process = self._process
        store = store_of(process)
        settings = worker_settings(plan, process.world.plan.knobs, embedded=True)

        @asynccontextmanager
        async def hire(node: NodeId, lease: Lease, slots: Slots) -> AsyncIterator[Hired]:
            worker = WorkerId(process.chance.token())
            yield hired(process, store, node, lease, worker=worker, settings=settings, slots=slots)

        outfit = outfit_of(process, store, aside=process.aside)
        slots = Slots(settings.slots, settings.threads)
        self._shift = Shift(outfit, hire, slots, VERSION)

    async def run(self) -> None:
        """Live until stopped."""
        await self._shift.run()

    def stop(self, *, drain: bool) -> None:
        """End in order."""
        self._shift.stop(drain=drain)
