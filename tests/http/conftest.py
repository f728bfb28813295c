"""A service on a real socket, and a client that talks to it."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
import uvicorn

from windlass import Windlass
from windlass.http.app import Api
from windlass.http.gate import admission
from windlass.http.service import Service
from windlass.wiring.guarding import Guard, guarding


class Server(uvicorn.Server):
    """A server that says when it listens, and leaves signals to the tests."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say so."""
        await super().startup(sockets)
        self.listening.set()


@asynccontextmanager
async def serving(api: object) -> AsyncIterator[str]:
    """Serve the application on a free port of loopback; gives its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    config = uvicorn.Config(
        api,  # type: ignore[arg-type]
        http="httptools",
        lifespan="off",
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    server = Server(config)
    running = asyncio.create_task(server._serve([listener]))
    await server.listening.wait()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        await running


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
