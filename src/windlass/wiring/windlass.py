"""Windlass itself: the app with its store, its bell and its workers."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from windlass.app import App, Backend, Ports
from windlass.clock import Chance, Clock
from windlass.config import Settings, load
from windlass.core.backoff import Backoff
from windlass.store.base import Effects
from windlass.wiring.storehouse import Storehouse

if TYPE_CHECKING:
    from windlass.wiring.packages import Packages


class Windlass(App):
    """Declare jobs on it, enqueue them, and run workers for them.

    Without a URL the store is named by WINDLASS_STORE or DATABASE_URL, and else it is SQLite in
    `./.windlass/`.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        schema: str | None = None,
        settings: Settings | None = None,
        clock: Clock | None = None,
        chance: Chance | None = None,
        builtins: bool = False,
    ) -> None:
        """Open nothing yet; with `builtins`, know what comes with Windlass and with packages."""
        given = {"store": url, "schema": schema}
        self.settings = settings or load(os.environ, Path.cwd(), given)
        self.storehouse = Storehouse(self.settings, clock=clock, chance=chance)
        house = self.storehouse
        self._effects: Effects | None = None
        super().__init__(
            Ports(
                connect=self._connect,
                clock=house.clock,
                chance=house.chance,
                dialect=house.address.dialect,
                schema=self.settings.schema,
                backoff=_backoff(self.settings),
                ring_sql=house.ring_sql,
            )
        )
        self.packages: Packages | None = None
        if builtins:
            self._equip()

    @asynccontextmanager
    async def worker(self) -> AsyncIterator[None]:
        """Run this app's jobs in this process while the block runs.

        Leaving the block drains: what runs may finish, what has not started is handed back. Types
        that are declared meanwhile are run as well, from half a second later on.
        """
        # Imported late: who only enqueues never loads a worker.
        from windlass.wiring.embedding import embedded_worker  # noqa: PLC0415

        home = await self._homes.here()
        async with embedded_worker(self.storehouse, home.store, home.bell, self.registry):
            yield

    def effects(self) -> Effects:
        """Where a handler in an isolated process, which has no event loop, gets transactions."""
        if self._effects is None:
            self._effects = self.blocking.bridge.run(self._open_effects())
        return self._effects

    def _equip(self) -> None:
        # Imported late: who has jobs of their own pays nothing for ours.
        from windlass.wiring.equipment import equipment  # noqa: PLC0415
        from windlass.wiring.packages import Packages  # noqa: PLC0415

        house, backoff = self.storehouse, _backoff(self.settings)
        for executor in equipment(self.settings, backoff, house.clock, house.chance):
            self.registry.provide(executor)
        self.packages = Packages(self.registry.types(), backoff)
        self.registry.look_on(self.packages)

    async def _open_effects(self) -> Effects:
        return self.storehouse.effects(await self.storehouse.store(connections=1))

    async def _connect(self) -> Backend:
        house = self.storehouse
        store = await house.store()
        bell = house.bell()
        return Backend(store, bell, house.observer, house.hail(), house.here(store, bell))


def _backoff(settings: Settings) -> Backoff:
    return Backoff(base=settings.backoff.total_seconds(), cap=settings.backoff_cap.total_seconds())
