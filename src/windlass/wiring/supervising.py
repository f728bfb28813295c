"""Runs worker processes for an app until a signal.

What it takes to work with a store is imported while the first process loads the app.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from windlass.clock import SystemClock
from windlass.config import Settings
from windlass.observe.events import Connected, Observer, Observers
from windlass.observe.logs import Logs
from windlass.starting import program
from windlass.wiring.keeping import Kept
from windlass.worker.event_loop import run
from windlass.worker.supervisor import Charge, Exit, Supervisor

CHILD = "windlass.wiring.child"


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
        program(CHILD, app),
        partial(_charge, settings, observer, counter),
        observer=observer,
        prepare=partial(_prepare, settings),
    )
    return run(supervisor.run())


def _prepare(settings: Settings) -> None:
    """Import what a charge takes, and the driver of a store that will probably be the app's too."""
    from windlass.wiring import charging  # noqa: F401, PLC0415
    from windlass.wiring.storehouse import Storehouse  # noqa: PLC0415

    Storehouse(settings).prepare()


@asynccontextmanager
async def _charge(
    given: Settings, observer: Observer, counter: Observer | None, own: Settings
) -> AsyncIterator[Charge]:
    from windlass.wiring.charging import charge  # noqa: PLC0415

    async with charge(given, observer, counter, own) as opened:
        yield opened
