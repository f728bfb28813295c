"""Windlass itself: the app with its store, its bell and its workers."""

from __future__ import annotations

import os
from pathlib import Path

from windlass.app import App, Backend, Ports
from windlass.clock import Chance, Clock
from windlass.config import Settings, load
from windlass.wiring.storehouse import Storehouse


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
    ) -> None:
        """Open nothing yet."""
        given = {"store": url, "schema": schema}
        self.settings = settings or load(os.environ, Path.cwd(), given)
        self.storehouse = Storehouse(self.settings, clock=clock, chance=chance)
        house = self.storehouse
        super().__init__(
            Ports(
                connect=self._connect,
                clock=house.clock,
                chance=house.chance,
                dialect=house.address.dialect,
                schema=self.settings.schema,
            )
        )

    async def _connect(self) -> Backend:
        return Backend(await self.storehouse.store(), self.storehouse.bell())
