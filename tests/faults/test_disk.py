"""The disk of the database is full: nothing is half-written, and all goes on once there is room."""

import asyncio
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, closing
from itertools import count
from pathlib import Path

import aiohttp
import psutil
import pytest

from tests.acceptance.api import serving
from tests.acceptance.audit import Audit
from tests.acceptance.fleet import Site, open_site
from tests.faults.disk import MIB, Disk, small_disk
from tests.faults.dose import dose
from tests.services import PostgresServer
from tests.waiting import until
from windlass.wiring import migrate

FILLINGS = dose(short=1, full=3)
FULL_FOR = dose(short=1.0, full=10.0)
CALLERS = 4
BACK_WITHIN = dose(short=30.0, full=5.0)
# A cluster that takes as little room as it can.
SMALL = {
    "shared_buffers": "8MB",
    "min_wal_size": "32MB",
    "max_wal_size": "32MB",
    "log_min_messages": "error",
}


class Callers:
    """Those who submit jobs, each under a key until it is accepted, and read one in between."""

    def __init__(self, url: str, site: Site) -> None:
        self._url = url
        self._site = site
        self._numbers = count()
        self.statuses: Counter[int] = Counter()
        self.reads: Counter[int] = Counter()
        self.accepted_at = 0.0

    @asynccontextmanager
    async def calling(self) -> AsyncIterator[None]:
        """Go on while the block runs; in the end no request is left without its answer."""
        self._over = asyncio.Event()
        async with aiohttp.ClientSession(self._url) as client:
            tasks = [asyncio.create_task(self._go_on(client)) for _ in range(CALLERS)]
            try:
                yield
            finally:
                self._over.set()
                await asyncio.gather(*tasks)

    async def _go_on(self, client: aiohttp.ClientSession) -> None:
        for number in self._numbers:
            if self._over.is_set():
                return
            while not await self._accepted(client, number):  # noqa: ASYNC110 — it asks
                await asyncio.sleep(0.05)
            await asyncio.sleep(0.01)

    async def _accepted(self, client: aiohttp.ClientSession, number: int) -> bool:
        key = f"{number} ".ljust(200, "x")  # which takes some room
        payload = {"number": number, "seconds": 0}
        body = {"type": "rest", "payload": payload, "idempotency_key": key, "name": key}
        async with client.post("/jobs", json=body) as answer:
            told = await answer.json()
        self.statuses[answer.status] += 1
        async with client.get("/jobs?limit=1") as read:
            self.reads[read.status] += 1
        if answer.status not in (200, 202):
            return False
        self._site.asked.add(told["id"])
        self._site.accepted.add(told["id"])
        self.accepted_at = time.monotonic()
        return True


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", dose(short=["sqlite"], full=["sqlite", "postgres"]))
async def test_a_full_disk_costs_time_and_nothing_else(
    kind: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    opened = on_sqlite if kind == "sqlite" else on_postgres
    back = []
    async with opened(tmp_path) as (disk, site, revive), serving(tmp_path, site.url) as api:
        node = site.node(slots=8)
        await node.ready()
        callers = Callers(api.url, site)
        async with callers.calling():
            for _ in range(FILLINGS):
                await site.begun(len(site.ledger) + 50)
                refused = callers.statuses[503]
                disk.fill()
                await until(lambda: callers.statuses[503] > refused + CALLERS, at_most=60)  # noqa: B023
                await asyncio.sleep(FULL_FOR)
                disk.free()
                freed = await revive()
                await until(lambda: callers.accepted_at > freed)  # noqa: B023
                begun = len(site.ledger)
                await site.begun(begun + 1)
                back.append(time.monotonic() - freed)
        await site.all_finished(stalled=30)
        judged, figures = site.audit(), site.account()
        if kind == "sqlite":
            assert integrity(site.url) == "ok"

    for name, figure in figures._asdict().items():
        record_property(name, figure)
    record_property("answers", dict(callers.statuses))
    record_property("answers to readers", dict(callers.reads))
    record_property("back after", ", ".join(f"{one:.2f} s" for one in back))
    assert judged == Audit()
    assert set(callers.statuses) <= {200, 202, 503}
    assert max(back) <= BACK_WITHIN
    if kind == "sqlite":
        assert set(callers.reads) == {200}


@asynccontextmanager
async def on_sqlite(
    folder: Path,
) -> AsyncIterator[tuple[Disk, Site, Callable[[], Awaitable[float]]]]:
    """A site whose database is a file on a small disk."""
    async with AsyncExitStack() as stack:
        disk = stack.enter_context(small_disk(folder / "disk", dose(short=16, full=64) * MIB))
        url = f"sqlite:///{disk.folder / 'windlass.db'}"
        site = await stack.enter_async_context(open_site(folder, url))

        async def revive() -> float:
            return time.monotonic()

        yield disk, site, revive


@asynccontextmanager
async def on_postgres(
    folder: Path,
) -> AsyncIterator[tuple[Disk, Site, Callable[[], Awaitable[float]]]]:
    """A site whose PostgreSQL has its cluster on a small disk."""
    async with AsyncExitStack() as stack:
        server = PostgresServer(SMALL)
        stack.callback(server.close)
        owner = server.folder.stat().st_uid
        disk = stack.enter_context(small_disk(server.folder / "data", 128 * MIB, owner))
        server.start()
        await migrate(server.url)
        site = await stack.enter_async_context(open_site(folder, server.url))

        async def revive() -> float:
            """Who has no room for its log crashes, and somebody may have to start it again."""
            if psutil.Process(server.pid).status() == psutil.STATUS_ZOMBIE:
                server.end_with(signal.SIGKILL)
                await asyncio.to_thread(server.start)
            await until(server.ready)
            return time.monotonic()

        yield disk, site, revive


def integrity(url: str) -> str:
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as database:
        [(found,)] = database.execute("pragma integrity_check").fetchall()
    return str(found)
