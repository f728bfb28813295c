"""PostgreSQL comes back to a herd that waited for it, and is not run over."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from math import inf
from typing import NamedTuple

import psycopg
import pytest

from tests.faults.dose import dose
from tests.services import PostgresServer
from tests.waiting import until
from windlass import Windlass
from windlass.core.errors import StoreAway
from windlass.wiring import migrate

WORKERS = dose(short=6, full=50)
AWAY = dose(short=1.0, full=30.0)
RATE = dose(short=40, full=100)  # jobs a second
STEADY = dose(short=1.5, full=10.0)
MORE = 1.5
SAME = 0.8
BACK_WITHIN = dose(short=20.0, full=10.0)  # on a machine that runs other tests, too
LOOKED_FOR = 3.0  # at least
SPREAD = dose(short=0.5, full=2.0)


class Crowd(NamedTuple):
    """Connections at one moment."""

    at: float
    size: int
    begun: list[float]  # when each of them did, in seconds since 1970


class Herd:
    """Workers in this process, each with connections of its own, and the jobs they did."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.done: list[float] = []

    @asynccontextmanager
    async def grazing(self) -> AsyncIterator[None]:
        """All of them at work while the block runs."""
        async with AsyncExitStack() as stack:
            apps = [await stack.enter_async_context(self._app()) for _ in range(WORKERS)]
            await asyncio.gather(*(app.stats() for app in apps))
            for app in apps:
                await stack.enter_async_context(app.worker())
            feeding = asyncio.create_task(self._feed(apps[0]))
            try:
                yield
            finally:
                feeding.cancel()
                await asyncio.wait([feeding])

    def _app(self) -> Windlass:
        app = Windlass(self.url)

        @app.job
        async def graze() -> None:
            self.done.append(time.monotonic())

        return app

    async def _feed(self, app: Windlass) -> None:
        while True:
            with suppress(StoreAway):
                await app.enqueue_many([app.job_of("graze", {}) for _ in range(RATE // 10)])
            await asyncio.sleep(0.1)

    def pace(self, since: float, until_then: float) -> float:
        """Jobs a second, between two moments."""
        return sum(since <= at < until_then for at in self.done) / (until_then - since)


@pytest.mark.timeout(300)
async def test_a_herd_comes_back_one_after_the_other(
    record_property: Callable[[str, object], None],
) -> None:
    with PostgresServer({"max_connections": "600"}) as server:
        await migrate(server.url)
        herd = Herd(server.url)
        async with herd.grazing():
            await until(lambda: len(herd.done) > RATE)
            before = await crowds(server.url, STEADY)
            now = time.monotonic()
            steady = herd.pace(now - STEADY, now)
            await asyncio.to_thread(server.stop, "immediate")
            await asyncio.sleep(AWAY)
            await asyncio.to_thread(server.start)
            back = time.monotonic()
            after = await crowds(
                server.url,
                BACK_WITHIN,
                lambda now: now > back + LOOKED_FOR and herd.pace(now - 1, now) >= SAME * steady,
            )

    usual, most = max(one.size for one in before), max(one.size for one in after)
    begun = sorted(after[-1].begun)
    spread = begun[-1] - begun[0]
    paces = ((one.at - back, herd.pace(one.at - 1, one.at)) for one in after)
    recovered = next((late for late, pace in paces if late > 1 and pace >= SAME * steady), inf)
    record_property("workers", WORKERS)
    record_property("connections before", usual)
    record_property("connections after", most)
    record_property("connected over", f"{spread:.2f} s")
    record_property("jobs a second before", round(steady, 1))
    record_property("at its old pace after", f"{recovered:.1f} s")
    assert most <= MORE * usual
    assert spread >= SPREAD
    assert recovered <= BACK_WITHIN


async def crowds(
    url: str, seconds: float, enough: Callable[[float], bool] = lambda _: False
) -> list[Crowd]:
    """Who is connected, looked at again and again for so long, or until it is enough."""
    asked = (
        "select extract(epoch from backend_start)::float8 from pg_stat_activity"
        " where application_name = 'windlass'"
    )
    found = []
    ends = time.monotonic() + seconds
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        while True:
            rows = await (await connection.execute(asked)).fetchall()
            now = time.monotonic()
            found.append(Crowd(now, len(rows), [row[0] for row in rows]))
            if now > ends or enough(now):
                return found
            await asyncio.sleep(0.1)
