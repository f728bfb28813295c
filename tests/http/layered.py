"""A request to an application by itself, without a server between."""

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tests.recorder import Recorder
from windlass.clock import SystemChance, SystemClock
from windlass.config import Settings
from windlass.http.answer import Answer, Message, Send, send
from windlass.http.drain import Drain
from windlass.http.middleware.layer import Asgi
from windlass.http.middleware.stack import Surroundings, stacked
from windlass.http.problems import Refusal, answer
from windlass.http.request import Receive, Request, Scope

HOST = "127.0.0.1:8080"
# A piece of a body that never comes.
STALLED = b"stalled"


class Clock(SystemClock):
    """A clock that tests own."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        """Whatever the test says."""
        return self.now


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def problem(self) -> str:
        """The kind of problem, and that it is told as one."""
        assert self.headers["content-type"] == "application/problem+json"
        told = json.loads(self.body)
        assert told["status"] == self.status
        assert told["request_id"] == self.headers["x-request-id"]
        return str(told["type"]).removeprefix("urn:windlass:problem:")


class Layered:
    """An echo with every layer around it."""

    def __init__(self, inner: Asgi | None = None, **settings: Any) -> None:
        self.clock = Clock()
        self.observer = Recorder()
        self.drain = Drain()
        around = Surroundings(
            settings=Settings(**settings),
            clock=self.clock,
            chance=SystemChance(),
            observer=self.observer,
            drain=self.drain,
        )
        self.app = stacked(inner or echo, around, admission=lambda app: app, batches={"/batch"})

    async def ask(
        self, method: str = "GET", path: str = "/jobs", *, body: Iterable[bytes] = (), **said: str
    ) -> Reply:
        """Send one request; headers by their names, with _ for -."""
        headers = {"host": HOST, **{name.replace("_", "-"): value for name, value in said.items()}}
        return await ask(self.app, method, path, body, list(headers.items()))


async def echo(scope: Scope, receive: Receive, send_: Send) -> None:
    """Answer with the body; refusals as the API tells them."""
    try:
        body = await Request(scope, receive).body()
    except Refusal as refusal:
        await send(answer(refusal, scope["request_id"]), send_)
    else:
        await send(Answer(body=body), send_)


async def ask(
    app: Asgi, method: str, path: str, body: Iterable[bytes], headers: list[tuple[str, str]]
) -> Reply:
    """Send one request, its body in pieces, and wait for the whole answer."""
    pieces = list(body) or [b""]
    sent: list[Message] = []

    async def receive() -> Message:
        if not pieces or pieces[0] is STALLED:
            await asyncio.Event().wait()
        piece = pieces.pop(0)
        return {"type": "http.request", "body": piece, "more_body": bool(pieces)}

    async def collect(message: Message) -> None:
        sent.append(message)

    place, _, query = path.partition("?")
    scope: Scope = {
        "type": "http",
        "method": method,
        "path": place,
        "raw_path": place.encode(),
        "query_string": query.encode(),
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers],
        "client": ("127.0.0.1", 50000),
    }
    await app(scope, receive, collect)
    told = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Reply(sent[0]["status"], told, b"".join(message["body"] for message in sent[1:]))
