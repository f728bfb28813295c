"""Runs worker processes for an app until a signal.

What it takes to work with a store is imported while the first process loads the app.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from windlass.clock import SystemClock
from windlass.config import Settings
from windlass.observe.events import Connected, Observer, Observers
from windlass.observe.logs import Logs
from windlass.wiring.keeping import Kept
from windlass.worker.muster import Muster
from windlass.worker.supervisor import Charge, Exit, Supervisor


def supervise(muster: Muster, settings: Settings, *, kept: bool = False) -> Exit:
    """Run the jobs of the app of those who muster, until a signal; see `run_worker`."""
    everything = Logs(sys.stderr, SystemClock(), level=settings.log)
    logs: Observer = Kept(everything, Connected) if kept else everything
    if settings.metrics is None:
        return _supervise(muster, settings, logs)
    # Imported late: it takes a tenth of a second, and most workers show nothing.
    from windlass.observe.metrics import Metrics  # noqa: PLC0415
    from windlass.wiring.metering import shown  # noqa: PLC0415

    metrics = Metrics()
    with shown(metrics, settings.metrics):
        return _supervise(muster, settings, Observers(logs, metrics), metrics)


def _supervise(
    muster: Muster, settings: Settings, observer: Observer, counter: Observer | None = None
) -> Exit:
    supervisor = Supervisor(
        muster,
        partial(_charge, settings, observer, counter),
        observer=observer,
        prepare=partial(_prepare, settings),
    )
    # On the common loop: it has little to do, and the fast one takes 2 MB.
    return asyncio.run(supervisor.run())


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
