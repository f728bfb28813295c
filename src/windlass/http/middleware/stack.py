"""All layers around the API, from the outside in."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeAlias

from msgspec import Struct

from windlass.clock import Chance, Clock
from windlass.config import Settings
from windlass.http.drain import Drain
from windlass.http.middleware.access_log import access_log
from windlass.http.middleware.bodies import bodies
from windlass.http.middleware.deadlines import Deadlines, deadlines
from windlass.http.middleware.draining import draining
from windlass.http.middleware.forwarded import Proxies, forwarded
from windlass.http.middleware.hosts import hosts, names
from windlass.http.middleware.layer import Asgi
from windlass.http.middleware.origins import origins
from windlass.http.middleware.rates import Rates, rates
from windlass.http.middleware.recovery import recovery
from windlass.observe.events import Observer

Layer: TypeAlias = Callable[[Asgi], Asgi]


class Surroundings(Struct, frozen=True, kw_only=True):
    """What the layers work with."""

    settings: Settings
    clock: Clock
    chance: Chance
    observer: Observer
    drain: Drain


def stacked(
    api: Asgi, around: Surroundings, *, admission: Layer, batches: Collection[str] = ()
) -> Asgi:
    """The API with every layer around it; `batches` are the paths that take long bodies."""
    settings, clock = around.settings, around.clock
    app = api
    if settings.rate is not None:
        app = rates(app, Rates(clock, settings.rate))
    app = admission(app)  # the rate is that of whoever it found
    app = deadlines(app, Deadlines(clock, settings.request_timeout.total_seconds()))
    app = bodies(app, settings.body_limit, settings.batch_limit, batches)
    app = origins(app, settings.origins)
    app = hosts(app, names(settings))
    app = draining(app, around.drain)
    app = recovery(app, around.drain, around.observer)
    app = access_log(app, clock, around.chance, around.observer)
    return forwarded(app, Proxies(settings.proxies)) if settings.proxies else app
