"""A worker process, started by its supervisor: `windlass.wiring.child APP CONTROL LEASE`.

APP is module:name, CONTROL and LEASE are inherited descriptors. Whatever is secret comes over
CONTROL, since anyone on the machine can read a command line.
"""

from __future__ import annotations

import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from msgspec import Struct
from msgspec.structs import replace

from windlass.core.errors import WindlassError
from windlass.observe.events import Observer, Observers
from windlass.observe.logs import Logs
from windlass.wiring.hiring import Vacancy, hire
from windlass.wiring.loading import load_app
from windlass.wiring.storehouse import Storehouse
from windlass.wiring.windlass import Windlass
from windlass.worker.child import die_with_parent, give_back_memory, serve
from windlass.worker.control import Assignment
from windlass.worker.event_loop import run
from windlass.worker.hired import Hired
from windlass.worker.lease import SharedLease

# One for claims, one for settlements, one for notes, one to spare.
CONNECTIONS = 4


class Shop(Struct, frozen=True):
    """The user's app in a worker process."""

    app: Windlass
    name: str
    lease: int

    @asynccontextmanager
    async def hire(self, assignment: Assignment, reporter: Observer) -> AsyncIterator[Hired]:
        """The worker that the assignment asks for."""
        app = self.app
        logs = Logs(sys.stderr, app.storehouse.clock, level=app.settings.log)
        house = Storehouse(app.settings, observer=Observers(logs, reporter))
        store = await house.store(connections=CONNECTIONS)
        bell = house.bell()
        vacancy = Vacancy(
            worker=assignment.worker,
            node=assignment.node,
            settings=assignment.settings,
            lease=SharedLease(self.lease, house.clock),
            bell=bell,
        )
        try:
            async with hire(vacancy, house, store, app.registry, self.name) as hired:
                yield hired
        finally:
            await app.close()  # handlers may have used it
            await bell.close()
            await store.close()


def main() -> None:
    """Load the app, and serve."""
    die_with_parent()
    give_back_memory()
    # An interrupt from the keyboard is for the supervisor, who lets attempts finish.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    name, control, lease = sys.argv[1:]
    try:
        app = load_app(name)
        shop = Shop(app, name, int(lease))
        settings = replace(app.settings, sources={})
        line = socket.socket(fileno=int(control))
        run(serve(settings, shop.hire, line, app.storehouse.prepare))
    except WindlassError as error:
        sys.exit(f"windlass: {error}")
