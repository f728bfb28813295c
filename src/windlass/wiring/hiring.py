"""Makes workers for an app."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from msgspec import Struct
from msgspec.structs import replace

from windlass.app.publishing import published
from windlass.bell.base import Bell
from windlass.bell.tokens import NoTokens
from windlass.core.bulk import BULK_QUEUE
from windlass.core.job import NodeId, WorkerId
from windlass.executors.base import Registry
from windlass.store.sql_store import SqlStore
from windlass.wiring.builtins import staffed
from windlass.wiring.storehouse import Storehouse
from windlass.worker.hired import Hired, record_of
from windlass.worker.lease import Lease
from windlass.worker.pools import SystemPools
from windlass.worker.settings import WorkerSettings
from windlass.worker.slots import Slots
from windlass.worker.worker import Worker


class Vacancy(Struct, frozen=True, kw_only=True):
    """What kind of worker is wanted, where."""

    worker: WorkerId
    node: NodeId
    settings: WorkerSettings
    lease: Lease
    bell: Bell
    slots: Slots | None = None  # of a process in which another worked before


@asynccontextmanager
async def hire(
    vacancy: Vacancy, house: Storehouse, store: SqlStore, registry: Registry, app: str | None
) -> AsyncIterator[Hired]:
    """A worker for the jobs of this registry; isolated processes import `app`, as module:name."""
    settings = _serving_ours(vacancy.settings)
    for flaw in registry.flaws:
        house.observer.on(flaw)
    # Handlers bring some of what is closed: whatever befalls that, the rest is let go of as well.
    async with AsyncExitStack() as closing:
        effects = house.effects(store)
        closing.push_async_callback(effects.close)
        known = staffed(registry, store, vacancy.bell, house.clock)
        closing.push_async_callback(known.close)
        # Suspects are so few that whoever is there for them looks by itself.
        tokens = NoTokens() if settings.alone else house.tokens()
        closing.push_async_callback(tokens.close)
        will = house.wills.begin(vacancy.worker) if house.wills else None
        worker = Worker(
            id=vacancy.worker,
            node=vacancy.node,
            settings=settings,
            store=store,
            effects=effects,
            registry=known,
            lease=vacancy.lease,
            clock=house.clock,
            chance=house.chance,
            observer=house.observer,
            pools=SystemPools(app),
            peek=store.head,
            slots=vacancy.slots,
            will=will,
        )
        if will is not None:
            closing.callback(lambda: will.close(executed=worker.settled))
        yield Hired(
            worker=worker,
            record=record_of(worker, vacancy.node, settings, known.types()),
            store=store,
            bell=vacancy.bell,
            observer=house.observer,
            types=published(known),
            tokens=tokens,
            registry=known,
        )


def _serving_ours(settings: WorkerSettings) -> WorkerSettings:
    """The settings of a worker that serves its queues, and the one in which bulk actions stand."""
    if settings.queues is None or BULK_QUEUE in settings.queues:
        return settings
    return replace(settings, queues=(*settings.queues, BULK_QUEUE))
