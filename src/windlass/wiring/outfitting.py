"""Gives a node what it works with, at one store's address."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import (
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
    nullcontext,
    suppress,
)
from functools import partial

from windlass.bell.base import Bell
from windlass.config import Settings
from windlass.core.job import NodeId
from windlass.store.base import Store
from windlass.store.locks import NodeLocks
from windlass.upkeep.deaths import NO_WILLS, NOBODY
from windlass.upkeep.rota import Tools, rota
from windlass.wiring.storehouse import Storehouse
from windlass.worker.background import background
from windlass.worker.node import Aside, Outfit
from windlass.worker.settings import WorkerSettings, default_threads
from windlass.worker.tenure import LeaseTerms

# A renewal that fails is tried again, and again: five fit into one lease.
RENEWALS = 5


def outfit(house: Storehouse, store: Store, bell: Bell, aside: Aside = background) -> Outfit:
    """An outfit around an open store and its bell; leases get a handle of their own on it."""
    locks = house.locks
    tools = Tools(
        store=store,
        bell=bell,
        chance=house.chance,
        observer=house.observer,
        retention=house.settings.retention,
        deaths=locks or NOBODY,
        wills=house.wills or NO_WILLS,
    )
    ttl = house.settings.lease.total_seconds()
    return Outfit(
        store=store,
        open_lease_store=partial(_second_store, house),
        bell=bell,
        clock=house.clock,
        chance=house.chance,
        observer=house.observer,
        rota=partial(rota, tools),
        answering=partial(_answering, locks),
        aside=aside,
        terms=LeaseTerms(ttl=ttl, every=ttl / RENEWALS),
    )


def worker_settings(settings: Settings) -> WorkerSettings:
    """What one worker may take on."""
    return WorkerSettings(
        slots=settings.slots,
        threads=settings.threads or default_threads(),
        queues=settings.queues,
        poll=settings.poll.total_seconds(),
        drain=settings.drain.total_seconds(),
        pool_threads=settings.pool_threads,
    )


@asynccontextmanager
async def _second_store(house: Storehouse) -> AsyncIterator[Store]:
    store = await house.store(connections=1)
    try:
        yield store
    finally:
        await store.close()


def _answering(locks: NodeLocks | None, node: NodeId) -> AbstractContextManager[None]:
    return nullcontext() if locks is None else _holding(locks, node)


@contextmanager
def _holding(locks: NodeLocks, node: NodeId) -> Iterator[None]:
    lock = locks.lock(node)
    with suppress(OSError):  # without one it is missed when its lease is over
        lock.hold()
    try:
        yield
    finally:
        lock.release()
