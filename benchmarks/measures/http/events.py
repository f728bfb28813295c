"""What listening to events costs the database: a thousand shall cost it what one does."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

from benchmarks.figure import Bound, Dialect, Figure
from benchmarks.http.server import Server, serving
from benchmarks.jobs import load
from benchmarks.measure import Bench, Measure, Sample
from benchmarks.sites import Site

JOBS = 500
LISTENERS = (1, 1_000)
# PostgreSQL tells how many transactions there were up to ten seconds late.
SETTLED = 11.0


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """Each listens to the counts and watches a job; jobs come meanwhile, so that there is news."""
    async with bench.fresh() as site:
        async with site.open() as database:
            await load(database, JOBS)
        ids = [job for (job,) in site.ask("select cast(id as text) from windlass_jobs")]
        async with serving(site) as server:
            for count in LISTENERS:
                bench.say(f"{count:,} listen")
                async with listening(server, count, ids) as listeners:
                    for sample in await watched(bench, site, server, listeners):
                        yield sample


async def watched(
    bench: Bench, site: Site, server: Server, listeners: list[Listener]
) -> list[Sample]:
    """Statements a second at the database, and what the service works, while they listen."""
    name = _name(len(listeners))
    await asyncio.sleep(SETTLED)
    began, asked, served = time.perf_counter(), statements(site), server.program.cpu()
    heard = [listener.heard for listener in listeners]
    await feed(site, bench.scale.listening)
    await asyncio.sleep(SETTLED)
    took = time.perf_counter() - began
    assert all(one.heard > before for one, before in zip(listeners, heard, strict=True))
    return [
        Sample(name, (statements(site) - asked) / took),
        Sample(f"{name}, server", (server.program.cpu() - served) / took * 100),
    ]


async def feed(site: Site, seconds: float) -> None:
    """Enqueue a job a second, by a connection that the database is asked about apart."""
    async with site.open() as database:
        for _ in range(int(seconds)):
            await load(database, 1)
            await asyncio.sleep(1)


def statements(site: Site) -> int:
    """How many transactions the database has ended; each of ours there is one statement."""
    [(ended,)] = site.ask_file("transactions")
    return int(ended)


class Listener(asyncio.Protocol):
    """Counts what it hears."""

    def __init__(self, request: bytes) -> None:
        self._request = request
        self.heard = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for events."""
        self.transport = cast("asyncio.Transport", transport)
        self.transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        """Hear some."""
        self.heard += data.count(b"event: ")


@asynccontextmanager
async def listening(server: Server, count: int, ids: list[str]) -> AsyncIterator[list[Listener]]:
    """So many listeners, each with a connection of its own."""
    loop = asyncio.get_running_loop()
    listeners: list[Listener] = []
    try:
        for number in range(count):
            path = f"/events?jobs={ids[number % len(ids)]}"
            listeners.append(Listener(server.request("GET", path)))
            await loop.create_connection(lambda: listeners[-1], "127.0.0.1", server.port)
        yield listeners
    finally:
        for listener in listeners:
            listener.transport.close()


def _name(count: int) -> str:
    return f"events, {count:,} listening"


MEASURE = Measure(
    name="http_events",
    figures=(
        Figure(name=_name(1), unit="statements/s"),
        Figure(
            name=_name(1_000),
            unit="statements/s",
            base=_name(1),
            share=Bound(1.2, at_most=True),
        ),
        Figure(name=f"{_name(1)}, server", unit="% of a core"),
        Figure(name=f"{_name(1_000)}, server", unit="% of a core"),
    ),
    take=take,
    dialects=frozenset({Dialect.POSTGRES}),
    once=True,
)
