"""Runs a worker inside the program that made the app."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from msgspec.structs import replace

import windlass
from windlass.bell.base import Bell
from windlass.core.job import NodeId, WorkerId
from windlass.executors.base import Registry
from windlass.store.base import Store
from windlass.store.sql_store import SqlStore
from windlass.wiring.hiring import Vacancy, hire
from windlass.wiring.outfitting import outfit, worker_settings
from windlass.wiring.storehouse import Storehouse
from windlass.worker.background import background
from windlass.worker.embedded import embedded
from windlass.worker.hired import Hired
from windlass.worker.lease import Lease
from windlass.worker.own_thread import own_thread
from windlass.worker.slots import Slots


@asynccontextmanager
async def embedded_worker(
    house: Storehouse, store: Store, bell: Bell, registry: Registry
) -> AsyncIterator[None]:
    """Run jobs on the caller's event loop while the block runs.

    It shares the app's store and bell. The lease has a thread with a handle of its own, so that a
    handler that blocks the loop for a while loses nothing; a database in memory has but one
    handle, and nobody else who could take a lease.
    """
    assert isinstance(store, SqlStore)  # noqa: S101 — a storehouse opens no other
    settings = replace(worker_settings(house.settings), takes_suspects=True)

    def hire_here(node: NodeId, lease: Lease, slots: Slots) -> AbstractAsyncContextManager[Hired]:
        worker = WorkerId(house.chance.token())
        vacancy = Vacancy(
            worker=worker, node=node, settings=settings, lease=lease, bell=bell, slots=slots
        )
        return hire(vacancy, house, store, registry, None)

    aside = background if house.in_memory else own_thread
    slots = Slots(settings.slots, settings.threads)
    version = str(windlass.__version__)
    async with embedded(outfit(house, store, bell, aside), hire_here, slots, version):
        yield
