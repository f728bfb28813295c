"""The routes about failures that are alike."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from windlass.http import wire_faults as wire
from windlass.http.access import Access
from windlass.http.answer import Answer, json
from windlass.http.routing import Says, get
from windlass.http.service import Service


class Wanted(msgspec.Struct, kw_only=True):
    """How far to look back."""

    window: Annotated[Literal["1h", "1d", "7d"], Meta(description="How far to look back.")] = "1d"


@get(
    "/failures",
    access=Access.READ,
    answers={200: Says(wire.Failures, "What failed lately, in groups.")},
)
async def list_failures(service: Service, query: Wanted) -> Answer:
    """Group the attempts that failed lately by type and error.

    Errors are alike if they differ only in numbers, ids, quoted texts, addresses and paths. It
    looks at 50,000 attempts or for half a second, those of the newest jobs first.
    """
    return json(wire.failures(query.window, await service.faults.failures(query.window)))


@get(
    "/dead",
    access=Access.READ,
    answers={200: Says(wire.Dead, "Dead letters, in groups.")},
)
async def list_dead(service: Service) -> Answer:
    """Group the jobs that failed for good by type and error, and say how to find each group.

    `q` finds them with `GET /jobs?q=` and, as `filter`, with `POST /jobs/bulk`. It looks at 50,000
    jobs or for half a second, the newest first.
    """
    return json(wire.dead(await service.faults.dead()))


ROUTES = [list_failures, list_dead]
