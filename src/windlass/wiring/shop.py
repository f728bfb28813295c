"""The user's app in a worker process, and what it takes to be the worker of a supervisor."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from windlass.core.errors import WindlassError
from windlass.observe.events import Observer, Observers
from windlass.observe.logs import Logs
from windlass.wiring.loading import load_app
from windlass.wiring.storehouse import Storehouse
from windlass.wiring.windlass import Windlass
from windlass.worker.child import serve
from windlass.worker.control import Assignment
from windlass.worker.event_loop import run
from windlass.worker.lease import SharedLease

if TYPE_CHECKING:
    from windlass.worker.hired import Hired

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
        from windlass.wiring.hiring import Vacancy, hire  # noqa: PLC0415 - see `prepare`

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

    def prepare(self) -> None:
        """Import what a worker takes, which is more than the app and its Hello."""
        import_module("windlass.wiring.hiring")
        self.app.storehouse.prepare()


def keep_shop(line: socket.socket, lease: int) -> None:
    """Load the app that the supervisor names, and serve."""
    # Byte by byte, lest anything is taken that comes after it.
    said = line.makefile("rb", buffering=0).readline()
    if not said.endswith(b"\n"):
        return  # it is gone, or has no use for us
    name, environ = json.loads(said)
    os.environ.update(environ)
    try:
        app = load_app(name)
        shop = Shop(app, name, lease)
        settings = replace(app.settings, sources={})
        run(serve(settings, shop.hire, line, shop.prepare))
    except WindlassError as error:
        sys.exit(f"windlass: {error}")
