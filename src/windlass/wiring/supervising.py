"""Runs worker processes for an app until a signal."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial

import windlass
from windlass.clock import SystemClock
from windlass.config import PROGRAM, Settings
from windlass.observe.events import Advised, Connected, Observer, Observers
from windlass.observe.logs import Logs
from windlass.wiring.keeping import Kept
from windlass.wiring.outfitting import outfit, worker_settings
from windlass.wiring.storehouse import Storehouse
from windlass.worker.crew import CrewSettings
from windlass.worker.event_loop import run
from windlass.worker.supervisor import Charge, Exit, Supervisor

CHILD = "windlass.wiring.child"
# Chores take turns; the second is for the one that must not wait for a slow one.
CONNECTIONS = 2
# Where the jobs are is for the app to say.
THE_APPS_OWN = frozenset({"store", "schema", "app"})


def run_worker(app: str, settings: Settings, *, kept: bool = False) -> Exit:
    """Run the jobs of `app`, as module:name, until a signal; answer with a code for the shell.

    What the caller decided of the settings counts; for the rest the app's own do. One that is
    `kept` by another process leaves it to that one to tell of the store, the signal and the end.
    """
    everything = Logs(sys.stderr, SystemClock(), level=settings.log)
    logs: Observer = Kept(everything, Connected) if kept else everything
    if settings.metrics is None:
        return _supervise(app, settings, logs)
    # Imported late: it takes a tenth of a second, and most workers show nothing.
    from windlass.observe.metrics import Metrics  # noqa: PLC0415
    from windlass.wiring.metering import shown  # noqa: PLC0415

    metrics = Metrics()
    with shown(metrics, settings.metrics):
        return _supervise(app, settings, Observers(logs, metrics), metrics)


def _supervise(
    app: str, settings: Settings, observer: Observer, counter: Observer | None = None
) -> Exit:
    supervisor = Supervisor(
        [sys.executable, "-m", CHILD, app],
        partial(_charge, settings, observer, counter),
        observer=observer,
        version=str(windlass.__version__),
    )
    return run(supervisor.run())


@asynccontextmanager
async def _charge(
    given: Settings, observer: Observer, counter: Observer | None, own: Settings
) -> AsyncIterator[Charge]:
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
            counter,
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
