"""Whether the service lives, and whether it should be sent requests."""

from __future__ import annotations

from windlass.http.access import Access
from windlass.http.answer import Answer, text
from windlass.http.problems import RETRY_SOON, Refusal
from windlass.http.routing import Says, get
from windlass.http.service import Service

PLAIN = "text/plain; charset=utf-8"


@get("/health", access=Access.PUBLIC, answers={200: Says(str, "It lives.", PLAIN)})
async def health() -> Answer:
    """Whether the service lives."""
    return text("ok")


@get("/livez", access=Access.PUBLIC, answers={200: Says(str, "It lives.", PLAIN)})
async def livez() -> Answer:
    """Whether the service lives; asks nobody else."""
    return text("ok")


@get(
    "/readyz",
    access=Access.PUBLIC,
    answers={200: Says(str, "It can take requests.", PLAIN)},
    refuses=(503,),
)
async def readyz(service: Service) -> Answer:
    """Whether the service can take requests: it is not stopping, and the store answers."""
    if service.drain.begun:
        raise Refusal(503, "stopping", "this server is stopping", headers=(RETRY_SOON,))
    await service.app.aging()
    return text("ok")


ROUTES = [health, livez, readyz]
