"""Opens an app as a service: its store, its guard, and the layers around its API."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from windlass.config import Settings
from windlass.core.errors import StoreAway
from windlass.http.app import Api
from windlass.http.gate import admission
from windlass.http.middleware.layer import Asgi
from windlass.http.middleware.stack import Surroundings, stacked
from windlass.http.service import Service
from windlass.loop import Loop
from windlass.observe.events import ChoreFailed, Observer, Observers
from windlass.observe.metrics import Metrics
from windlass.sink.server import MailSink
from windlass.upkeep.beat import beat
from windlass.upkeep.rota import PACES
from windlass.wiring.guarding import guarding
from windlass.wiring.windlass import Windlass
from windlass.worker.background import background

# Routes that take many jobs at once.
BATCHES = frozenset({"/jobs/batch"})
# What is said from outside about these counts though the app has settings of its own.
OF_THE_API = (
    *("host", "port", "secret", "jwks", "issuer", "audience", "open", "origins", "hosts"),
    *("proxies", "rate", "body_limit", "batch_limit", "request_timeout", "drain", "log"),
)


class Opened(NamedTuple):
    """A service, and the application that answers for it."""

    api: Asgi
    service: Service


def merged(own: Settings, given: Settings) -> Settings:
    """The settings of an app as the API has them."""
    said = {name for name in OF_THE_API if given.sources.get(name, "default") != "default"}
    return replace(own, **{name: getattr(given, name) for name in said})


@asynccontextmanager
async def opened(
    app: Windlass, settings: Settings, observer: Observer, sink: MailSink | None = None
) -> AsyncIterator[Opened]:
    """The service while the block runs; what was enqueued is kept before it ends."""
    house, metrics = app.storehouse, Metrics()
    observer = Observers(observer, metrics)
    house.settings, house.observer = settings, observer
    for flaw in app.registry.flaws:
        observer.on(flaw)
    async with app, guarding(house) as guard:
        service = Service(
            app=app,
            gate=guard.gate,
            accounts=guard.accounts,
            settings=settings,
            clock=house.clock,
            chance=house.chance,
            observer=observer,
            mail=None if sink is None else sink.tray,
            metrics=metrics,
        )
        around = Surroundings(
            settings=settings,
            clock=house.clock,
            chance=house.chance,
            observer=observer,
            drain=service.drain,
        )
        admit = partial(admission, gate=guard.gate)
        api = stacked(Api(service), around, admission=admit, batches=BATCHES)
        taking_mail = nullcontext() if sink is None else sink.listening()
        live = service.live.run(service.drain)
        async with taking_mail, background(live, _beating(service).run()):
            yield Opened(api, service)


def _beating(service: Service) -> Loop:
    """Somebody writes down how things went, also while there are no workers."""

    async def turn() -> float:
        return await beat((await service.app.home()).store, service.chance)

    def report(chore: str, error: Exception) -> None:
        service.observer.on(ChoreFailed(chore, repr(error), away=isinstance(error, StoreAway)))

    return Loop("beat", PACES["beat"], turn, chance=service.chance.random, report=report)
