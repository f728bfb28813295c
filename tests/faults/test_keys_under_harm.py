"""Two thousand keys, five requests each at once, while Redis suffers everything that it can."""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import quantiles

import aiohttp
import pytest

from tests.acceptance.api import serving
from tests.acceptance.mischief import HARMS, harmed
from tests.services.redis import RedisServer
from windlass import Windlass

KEYS, TIMES = 2_000, 5
CALM_KEYS = 400
AT_ONCE = 4  # keys
FROZEN_FOR = 10.0  # seconds
ADDED = 0.060  # seconds that a request may take longer than on a calm day
# A machine that does other things keeps some requests waiting for its own reasons.
OTHERWISE_LATE = 0.005


def freeze_for_long(server: RedisServer, over: threading.Event) -> None:
    """Let it answer nobody for ten seconds."""
    os.kill(server.pid, signal.SIGSTOP)
    over.wait(FROZEN_FOR)
    os.kill(server.pid, signal.SIGCONT)


class Callers:
    """Send each key five times at once, and remember what they were told."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.ids: dict[str, set[str]] = {}
        self.took: list[float] = []
        self.statuses: set[int] = set()

    async def run(self, keys: list[str]) -> list[float]:
        """Send all of them; how long each request took, in seconds."""
        self.took, waiting = [], iter(keys)
        async with aiohttp.ClientSession(self._url) as client:
            await asyncio.gather(*(self._go_on(client, waiting) for _ in range(AT_ONCE)))
        return self.took

    async def _go_on(self, client: aiohttp.ClientSession, keys: Iterator[str]) -> None:
        for key in keys:
            await asyncio.gather(*(self._send(client, key) for _ in range(TIMES)))

    async def _send(self, client: aiohttp.ClientSession, key: str) -> None:
        body = {"type": "add_numbers", "payload": {"x": 1, "y": 2}}
        began = time.perf_counter()
        async with client.post("/jobs", json=body, headers={"Idempotency-Key": key}) as answer:
            told = await answer.json()
        self.took.append(time.perf_counter() - began)
        self.statuses.add(answer.status)
        self.ids.setdefault(key, set()).add(told["id"])


@pytest.mark.timeout(600)
@pytest.mark.parametrize("store_url", ["postgres"], indirect=True)
async def test_each_key_makes_one_job_at_once_whatever_befalls_redis(
    store_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    with RedisServer() as server:
        monkeypatch.setenv("WINDLASS_REDIS", server.url)
        async with serving(tmp_path, store_url) as api:
            callers = Callers(api.url)
            calm = await callers.run([f"calm {number}" for number in range(CALM_KEYS)])
            with harmed(server, *HARMS, freeze_for_long, pause=0.3):
                under_harm = await callers.run([f"key {number}" for number in range(KEYS)])
        async with Windlass(store_url) as app:
            stats = await app.stats()

    usual = quantiles(calm, n=1000)[-2]
    late = [took for took in under_harm if took > usual + ADDED]
    record_property("keys", f"{KEYS} sent {TIMES} times each")
    record_property("jobs", sum(stats.states.values()))
    record_property("p99 on a calm day", f"{quantiles(calm, n=100)[98] * 1000:.0f} ms")
    record_property("p99 under harm", f"{quantiles(under_harm, n=100)[98] * 1000:.0f} ms")
    record_property("more than 60 ms late", f"{len(late)} of {len(under_harm)}")
    assert callers.statuses <= {200, 202}
    assert {len(ids) for ids in callers.ids.values()} == {1}
    assert sum(stats.states.values()) == KEYS + CALM_KEYS
    assert len(late) <= OTHERWISE_LATE * len(under_harm)
