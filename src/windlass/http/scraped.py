"""What Prometheus reads: the fleet as the store last told of it, and what this process counted."""

from __future__ import annotations

from prometheus_client import generate_latest

from windlass.app import App
from windlass.clock import Clock
from windlass.core.errors import WindlassError
from windlass.http.fresh import Ages, Fresh
from windlass.observe.fleet import Figures, FleetMetrics
from windlass.observe.metrics import Metrics

# However often somebody scrapes, the store is asked once in a second; and what is older than a few
# would be told as if it were of now.
AGES = Ages(fresh=1.0, between=1.0, good=5.0)


class Scraped:
    """Asks the store for everybody who scrapes."""

    def __init__(self, app: App, clock: Clock, metrics: Metrics) -> None:
        """Ask nothing yet."""
        self._app = app
        self._metrics = metrics
        self._fleet: Fresh[bytes] = Fresh(self._read, clock, AGES)

    async def text(self) -> bytes:
        """Everything, as of about now."""
        return await self._of_the_fleet() + self._metrics.text()

    async def _of_the_fleet(self) -> bytes:
        try:
            return await self._fleet.get()
        except WindlassError:
            # What this process has counted is all the more interesting then.
            return generate_latest(FleetMetrics(None))

    async def _read(self, _: bytes | None) -> bytes:
        store = (await self._app.home()).store
        census, totals, fleet = await store.census(), await store.totals(), await store.fleet()
        workers = [one for one in fleet.workers if one.alive]
        figures = Figures(
            totals=totals,
            census=census,
            nodes=sum(node.alive for node in fleet.nodes),
            workers=len(workers),
            slots=sum(one.record.slots for one in workers),
        )
        return generate_latest(FleetMetrics(figures))
