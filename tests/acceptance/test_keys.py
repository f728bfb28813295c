"""A thousand keys or more, five requests each; Redis is emptied, the API killed at every step."""

import asyncio
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from http import HTTPStatus
from itertools import count
from pathlib import Path

import aiohttp
import pytest
import redis as client

from tests.acceptance.api import Api
from tests.acceptance.dying import STEPS
from tests.acceptance.fleet import START
from tests.acceptance.nursery import BOOK
from tests.faults.dose import dose
from tests.services.redis import RedisServer
from tests.waiting import until
from windlass import Windlass
from windlass.core.job import State
from windlass.worker.background import background

# At least so many; they go on for as long as the API dies.
KEYS, TIMES = 1_000, 5
CALLERS = 40
# How often it is killed at each step.
DEATHS = dose(short=1, full=200)
# `windlass serve`, after it has died so often.
REBORN = f"from tests.acceptance.nursery import bear\nbear({DEATHS})\n{START}"


class Callers:
    """Those who ask until they are answered, as whoever uses a key does."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.ids: dict[str, set[str]] = {}
        self.answers = 0

    async def run(self, over: asyncio.Event) -> None:
        """Send every key so many times, several of each at once, until it is over."""
        wanted = self._wanted(over)
        async with aiohttp.ClientSession(self._url) as session:
            await asyncio.gather(*(self._call(session, wanted) for _ in range(CALLERS)))

    def _wanted(self, over: asyncio.Event) -> Iterator[str]:
        for number in count():
            if number >= KEYS and over.is_set():
                return
            yield from [f"key {number}"] * TIMES

    async def _call(self, session: aiohttp.ClientSession, wanted: Iterator[str]) -> None:
        for key in wanted:
            await until(partial(self._answered, session, key), at_most=60, every=0.1)

    async def _answered(self, session: aiohttp.ClientSession, key: str) -> bool:
        body = {"type": "add_numbers", "payload": {"x": 1, "y": 2}}
        try:
            async with session.post("/jobs", json=body, headers={"Idempotency-Key": key}) as answer:
                said = await answer.json()
        except (aiohttp.ClientError, ConnectionError):
            return False
        if answer.status == HTTPStatus.SERVICE_UNAVAILABLE:
            return False
        assert answer.status in (HTTPStatus.OK, HTTPStatus.ACCEPTED), said
        assert said["status"] == "pending"
        self.ids.setdefault(key, set()).add(said["id"])
        self.answers += 1
        return True


async def emptying(server: RedisServer) -> None:
    """Empty Redis again and again."""
    with client.Redis.from_url(server.url) as redis:
        while True:
            await asyncio.to_thread(redis.flushall)
            await asyncio.sleep(0.05)


@pytest.mark.timeout(dose(short=180, full=1200))
async def test_each_key_makes_one_job_whoever_dies(
    store_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    with RedisServer() as server:
        monkeypatch.setenv("WINDLASS_REDIS", server.url)
        api, over = Api(tmp_path, store_url, REBORN), asyncio.Event()
        callers = Callers(api.url)
        try:
            async with background(emptying(server)), asyncio.TaskGroup() as group:
                group.create_task(callers.run(over))
                await api.start()
                over.set()
        finally:
            api.kill()

        async with Windlass(store_url) as app:
            stats = await app.stats()

    died = Counter((tmp_path / BOOK).read_text().splitlines())
    keys = len(callers.ids)
    record_property("deaths", died.total())
    record_property("keys", keys)
    record_property("requests answered", callers.answers)
    record_property("jobs for each key", max(len(ids) for ids in callers.ids.values()))
    assert died == {f"{step}: {-signal.SIGKILL}": DEATHS for step in STEPS}
    assert keys >= KEYS
    assert callers.answers == keys * TIMES
    assert all(len(ids) == 1 for ids in callers.ids.values())
    assert len(set.union(*callers.ids.values())) == keys
    assert {state: count for state, count in stats.states.items() if count} == {State.PENDING: keys}
