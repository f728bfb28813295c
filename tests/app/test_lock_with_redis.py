"""With Redis those who wait for a lock ask less and have it sooner; nothing else changes."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.services.redis import RedisServer
from windlass import Windlass
from windlass.config import load
from windlass.store.locking import Grip


@pytest.fixture
def server() -> Iterator[RedisServer]:
    """A Redis that the test may harm."""
    with RedisServer() as server:
        yield server


@asynccontextmanager
async def apps(store_url: str, redis: str | None) -> AsyncIterator[tuple[Windlass, Windlass]]:
    """Two apps on one store, as two processes would have them."""
    settings = load({}, Path("/"), {"store": store_url, "redis": redis})
    async with Windlass(settings=settings) as one, Windlass(settings=settings) as other:
        yield one, other


class Waiter:
    """Waits for the lock, and counts how often the database is asked for it."""

    def __init__(self, app: Windlass) -> None:
        self._app = app
        self.asked = 0

    async def taken_at(self) -> float:
        """When the lock was had."""
        store = (await self._app.home()).store
        ask = store.lock

        async def counted(*args: object) -> Grip:
            self.asked += 1
            return await ask(*args)  # type: ignore[arg-type]

        store.lock = counted  # type: ignore[method-assign, assignment]
        async with self._app.lock("report", timeout=20):
            return asyncio.get_running_loop().time()


async def passed_on(one: Windlass, other: Windlass, held: float) -> tuple[float, int]:
    """Seconds from giving the lock back until the other has it, and how often it asked."""
    waiter = Waiter(other)
    async with one.lock("report", ttl=30):
        waiting = asyncio.create_task(waiter.taken_at())
        await asyncio.sleep(held)
        freed = asyncio.get_running_loop().time()
    return await waiting - freed, waiter.asked


async def test_who_waits_is_told_and_need_not_ask(store_url: str, redis_url: str) -> None:
    async with apps(store_url, None) as (one, other):
        _, asked_without = await passed_on(one, other, 2.0)
    async with apps(store_url, redis_url) as (one, other):
        late, asked = await passed_on(one, other, 2.0)
        quick = [late] + [(await passed_on(one, other, 0.2))[0] for _ in range(4)]

    assert asked <= asked_without / 2
    assert min(quick) < 0.1


@pytest.mark.parametrize("harm", [signal.SIGKILL, signal.SIGSTOP])
async def test_a_lock_passes_on_though_redis_is_lost_while_somebody_waits(
    store_url: str, server: RedisServer, harm: signal.Signals
) -> None:
    async with apps(store_url, server.url) as (one, other):
        waiter = Waiter(other)
        async with one.lock("report", ttl=30):
            waiting = asyncio.create_task(waiter.taken_at())
            await asyncio.sleep(0.3)
            os.kill(server.pid, harm)
            await asyncio.sleep(0.3)
            freed = asyncio.get_running_loop().time()
        late = await waiting - freed

        assert late < 10.0
        async with one.lock("report", timeout=20) as lock:
            assert lock.token > 0
        if harm is signal.SIGSTOP:
            os.kill(server.pid, signal.SIGCONT)
