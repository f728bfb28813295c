"""A service with every layer, on the server that people get, and what it says meanwhile."""

import asyncio
import io
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import aiohttp
import msgspec
from msgspec.structs import replace

from tests.recorder import Recorder
from windlass import Windlass
from windlass.clock import SystemClock
from windlass.config import Settings
from windlass.http.access import Scope
from windlass.http.secret import Secret
from windlass.http.server import Server
from windlass.http.service import Service
from windlass.http.tokens import Mint
from windlass.observe.events import Observers, RequestBroke
from windlass.observe.logs import Logs
from windlass.wiring.opening import opened
from windlass.worker.background import background

JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True, slots=True)
class Heard:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return msgspec.json.decode(self.body)

    @property
    def problem(self) -> str:
        """The kind of problem, and that it is told as one."""
        assert self.headers["content-type"] == "application/problem+json", self.body
        return str(self.json["type"]).removeprefix("urn:windlass:problem:")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fort:
    """The service, those who attack it, and its log."""

    app: Windlass
    service: Service
    client: aiohttp.ClientSession
    port: int
    recorder: Recorder
    log: io.StringIO

    async def ask(
        self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None
    ) -> Heard:
        """Send a request; bytes as they are, other bodies as JSON."""
        sent = {**(JSON if body is not None else {}), **(headers or {})}
        raw = body if isinstance(body, bytes | None) else msgspec.json.encode(body)
        data = None if raw is None else io.BytesIO(raw)
        async with self.client.request(method, path, data=data, headers=sent) as answer:
            told = {name.lower(): value for name, value in answer.headers.items()}
            return Heard(answer.status, told, await answer.read())

    async def submit(self, **more: object) -> str:
        """The id of a new job, of the type that takes anything."""
        heard = await self.ask("POST", "/jobs", {"type": "anything", **more})
        assert heard.status in (200, 202), heard.body
        return str(heard.json["id"])

    async def found(self, path: str, **query: str) -> set[str]:
        """The ids that a list shows."""
        async with self.client.get(path, params=query) as answer:
            told = await answer.read()
            assert answer.status == 200, told
            return {job["id"] for job in msgspec.json.decode(told)}

    def token(self, *scopes: Scope, name: str = "ada") -> str:
        """A good token of this service."""
        secret = self.service.settings.secret
        assert secret is not None
        mint = Mint(Secret(secret), self.service.clock, self.service.chance)
        return mint.make(name, frozenset(scopes), timedelta(minutes=5)).token

    def lines(self) -> list[dict[str, Any]]:
        """Every line of the log; each must be one whole JSON document."""
        return [json.loads(line) for line in self.log.getvalue().splitlines()]

    def broken(self) -> list[str]:
        """What nobody foresaw."""
        return [event.error for event in self.recorder.of(RequestBroke)]

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection on which one can say anything."""
        return await asyncio.open_connection("127.0.0.1", self.port)

    async def say(self, said: bytes, at_most: float = 30) -> bytes:
        """Send bytes as they are; everything that is answered until the other side hangs up."""
        reader, writer = await self.connect()
        writer.write(said)
        try:
            async with asyncio.timeout(at_most):
                return await reader.read()
        finally:
            writer.close()


def outfit(app: Windlass) -> None:
    """Types of job for those who attack."""

    @app.job(type="anything")
    async def anything(what: Any = None) -> Any:
        return what

    @app.job(type="clumsy", max_attempts=1)
    async def clumsy(words: str) -> None:
        raise RuntimeError(words)


@asynccontextmanager
async def standing(
    url: str, *, schema: str | None = None, **settings: object
) -> AsyncIterator[Fort]:
    """A service while the block runs."""
    app = Windlass(url, schema=schema, builtins=True)
    outfit(app)
    given: Settings = replace(app.settings, **settings)
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    recorder, log = Recorder(), io.StringIO()
    observer = Observers(recorder, Logs(log, SystemClock(), level="debug"))
    async with opened(app, given, observer) as (api, service):
        server, hurry = Server(api, service.drain, service.clock), asyncio.Event()
        hurry.set()
        await server.listen([listener])
        try:
            async with (
                background(server.run()),
                aiohttp.ClientSession(f"http://127.0.0.1:{port}") as client,
            ):
                yield Fort(
                    app=app,
                    service=service,
                    client=client,
                    port=port,
                    recorder=recorder,
                    log=log,
                )
        finally:
            await server.stop(0, hurry)
