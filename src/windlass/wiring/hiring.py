"""Makes workers for an app."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from windlass.core.job import NodeId, WorkerId
from windlass.executors.base import Registry
from windlass.store.sql_store import SqlStore
from windlass.wiring.storehouse import Storehouse
from windlass.worker.hired import Hired, record_of
from windlass.worker.lease import Lease
from windlass.worker.pools import SystemPools
from windlass.worker.settings import WorkerSettings
from windlass.worker.worker import Worker


@dataclass(frozen=True, slots=True, kw_only=True)
class Vacancy:
    """What kind of worker is wanted, where."""

    worker: WorkerId
    node: NodeId
    settings: WorkerSettings
    lease: Lease


@asynccontextmanager
async def hire(
    vacancy: Vacancy, house: Storehouse, store: SqlStore, registry: Registry, app: str | None
) -> AsyncIterator[Hired]:
    """A worker for the jobs of this registry; isolated processes import `app`, as module:name."""
    effects = house.effects(store)
    try:
        worker = Worker(
            id=vacancy.worker,
            node=vacancy.node,
            settings=vacancy.settings,
            store=store,
            effects=effects,
            registry=registry,
            lease=vacancy.lease,
            clock=house.clock,
            chance=house.chance,
            observer=house.observer,
            pools=SystemPools(app),
            peek=store.head,
        )
        record = record_of(worker, vacancy.node, vacancy.settings, registry.types())
        yield Hired(worker=worker, record=record, store=store, observer=house.observer)
    finally:
        await registry.close()
        await effects.close()
