"""A service on a real socket, and a client that talks to it."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from windlass import Windlass
from windlass.clock import SystemClock
from windlass.http.app import Api
from windlass.http.drain import Drain
from windlass.http.gate import admission
from windlass.http.middleware.layer import Asgi
from windlass.http.server import Server
from windlass.http.service import Service
from windlass.wiring.guarding import Guard, guarding
from windlass.worker.background import background


@asynccontextmanager
async def serving(api: Asgi) -> AsyncIterator[str]:
    """Serve the application on a free port of loopback; gives its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    server, hurry = Server(api, Drain(), SystemClock()), asyncio.Event()
    hurry.set()
    await server.listen([listener])
    try:
        async with background(server.run()):
            yield f"http://127.0.0.1:{port}"
    finally:
        await server.stop(0, hurry)


@pytest.fixture
async def app(store_url: str) -> AsyncIterator[Windlass]:
    """An app on either store."""
    async with Windlass(store_url, builtins=True) as app:
        yield app


@pytest.fixture
async def guard(
    app: Windlass, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Guard]:
    """The guard of the service: open, as to every program of this machine."""
    monkeypatch.chdir(tmp_path)
    async with guarding(app.storehouse) as guard:
        yield guard


@pytest.fixture
def service(app: Windlass, guard: Guard) -> Service:
    """The service over the app, with nothing around it."""
    house = app.storehouse
    return Service(
        app=app,
        gate=guard.gate,
        accounts=guard.accounts,
        settings=app.settings,
        clock=house.clock,
        chance=house.chance,
        observer=house.observer,
    )


@pytest.fixture
async def client(service: Service) -> AsyncIterator[aiohttp.ClientSession]:
    """A client of the service."""
    api = admission(Api(service), service.gate)
    async with serving(api) as url, aiohttp.ClientSession(url) as session:
        yield session
