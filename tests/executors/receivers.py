"""Hosts for executors to call: receivers that answer, canaries that nobody may touch, names."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

from tests.services.calls import Calls


@dataclass
class Call:
    """A request as it came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """Keeps what it is sent, and answers as the test wants."""

    port: int = 0
    calls: list[Call] = field(default_factory=list)
    answer: Callable[[Call], web.StreamResponse | Awaitable[web.StreamResponse]] = lambda _: (
        web.Response(text="thanks")
    )

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}/hook"

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Take one request."""
        headers = {name.lower(): value for name, value in request.headers.items()}
        call = Call(request.method, request.path_qs, headers, await request.read())
        self.calls.append(call)
        answer = self.answer(call)
        return answer if isinstance(answer, web.StreamResponse) else await answer


@asynccontextmanager
async def receiver(host: str = "127.0.0.1") -> AsyncIterator[Receiver]:
    """A receiver on a free port."""
    taken = Receiver()
    server = web.Server(taken.handle)
    runner = web.ServerRunner(server, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, host, 0)
    await site.start()
    taken.port = runner.addresses[0][1]
    try:
        yield taken
    finally:
        await runner.cleanup()


@dataclass
class Canary:
    """Counts who connects. Nobody should."""

    port: int = 0
    touched: int = 0

    def touch(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take note, and hang up."""
        self.touched += 1
        writer.close()


@asynccontextmanager
async def canary() -> AsyncIterator[Canary]:
    """A canary on one port of every address of this machine."""
    bird = Canary()
    sock = socket.socket(socket.AF_INET6)
    sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    sock.bind(("::", 0))
    server = await asyncio.start_server(bird.touch, sock=sock)
    bird.port = sock.getsockname()[1]
    try:
        yield bird
    finally:
        server.close()
        await server.wait_closed()


@asynccontextmanager
async def raw(answer: Callable[[asyncio.StreamWriter], Awaitable[None]]) -> AsyncIterator[str]:
    """The URL of a server that answers every request with bytes of the test's own making."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await answer(writer)

    async with Calls(serve).taken() as port:
        yield f"http://127.0.0.1:{port}/"


class Names(AbstractResolver):
    """Resolves names as the test says, a different answer each time if there are several."""

    def __init__(self, **answers: Iterable[list[str] | OSError]) -> None:
        self._answers = {
            name.replace("__", "-").replace("_", "."): list(said) for name, said in answers.items()
        }
        self._system = ThreadedResolver()
        self.asked: list[str] = []

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The next answer; numbers in odd forms are the system's to read."""
        self.asked.append(host)
        if host not in self._answers:
            return await self._system.resolve(host, port, family)
        said = self._answers[host]
        answer = said.pop(0) if len(said) > 1 else said[0]
        if isinstance(answer, OSError):
            raise answer
        return [self.result(host, address, port) for address in answer]

    def result(self, host: str, address: str, port: int) -> ResolveResult:
        """One address of a host."""
        kind = socket.AF_INET6 if ":" in address else socket.AF_INET
        return ResolveResult(
            hostname=host,
            host=address,
            port=port,
            family=kind,
            proto=0,
            flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
        )

    async def close(self) -> None:
        """Nothing is open."""
