"""The route about how things went."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from windlass.core import trend
from windlass.http import wire_history as wire
from windlass.http.access import Access
from windlass.http.answer import Answer, json
from windlass.http.routing import Says, get
from windlass.http.service import Service


class Wanted(msgspec.Struct, kw_only=True):
    """How far to look back."""

    window: Annotated[
        Literal["5m", "15m", "1h", "6h", "1d", "7d"], Meta(description="How far to look back.")
    ] = "1h"


@get(
    "/history",
    access=Access.READ,
    answers={200: Says(wire.History, "How things went, step by step.")},
)
async def read_chart(service: Service, query: Wanted) -> Answer:
    """Read how many jobs came, ran and ended lately, and how long they waited and ran.

    Somebody in the fleet writes this down every five seconds, from what is counted anyway. Times
    are of a sample: the newest of each queue and type that had jobs finish.
    """
    store = (await service.app.home()).store
    window = trend.window(query.window)
    return json(wire.history(query.window, window.step, await store.trend(window)))


ROUTES = [read_chart]
