"""Gives a supervisor its charge: the store that its app names, and who shall work there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from msgspec.structs import replace

import windlass
from windlass.config import PROGRAM, Settings
from windlass.observe.events import Advised, Observer
from windlass.wiring.outfitting import outfit, worker_settings
from windlass.wiring.storehouse import Storehouse
from windlass.worker.crew import CrewSettings
from windlass.worker.supervisor import Charge

# Chores take turns; the second is for the one that must not wait for a slow one.
CONNECTIONS = 2
# Where the jobs are is for the app to say.
THE_APPS_OWN = frozenset({"store", "schema", "app"})


@asynccontextmanager
async def charge(
    given: Settings, observer: Observer, counter: Observer | None, own: Settings
) -> AsyncIterator[Charge]:
    """What the app's own settings ask for, but for what was decided when it was started."""
    settings = _merged(given, own)
    house = Storehouse(settings, observer=observer)
    if settings.processes > 1 and house.address.dialect == "sqlite":
        observer.on(Advised("more processes gain nothing on SQLite, which has one writer"))
    store = await house.store(connections=CONNECTIONS)
    bell = house.bell()
    try:
        yield Charge(
            outfit(house, store, bell),
            CrewSettings(processes=settings.processes, worker=worker_settings(settings)),
            version=str(windlass.__version__),
            counter=counter,
        )
    finally:
        await bell.close()
        await store.close()


def _merged(given: Settings, own: Settings) -> Settings:
    decided = {
        name: getattr(given, name)
        for name, source in given.sources.items()
        if source == PROGRAM and name not in THE_APPS_OWN
    }
    return replace(own, **decided)
