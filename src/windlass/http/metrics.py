"""The route at which Prometheus reads."""

from __future__ import annotations

from windlass.http.access import Access
from windlass.http.answer import Answer
from windlass.http.routing import Says, get
from windlass.http.service import Service

EXPOSITION = "text/plain; version=0.0.4; charset=utf-8"


@get(
    "/metrics",
    access=Access.READ,
    answers={200: Says(str, "Metrics, as Prometheus reads them.", EXPOSITION)},
)
async def metrics(service: Service) -> Answer:
    """Read what the fleet has done and what it has before it, and what this process has done.

    Totals of the fleet come from the store and never go down; they are the same whichever process
    is asked.
    """
    return Answer(200, await service.scraped.text(), (), EXPOSITION.encode())


ROUTES = [metrics]
