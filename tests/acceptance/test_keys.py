"""A thousand keys, five requests each, while Redis is emptied and the API killed at every step."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from functools import partial
from http import HTTPStatus
from pathlib import Path

import aiohttp
import pytest
import redis as client

from tests.acceptance.api import Api
from tests.acceptance.fleet import START
from tests.faults.dose import dose
from tests.services.redis import RedisServer
from tests.waiting import until
from windlass import Windlass
from windlass.core.job import State

# Enough of them that callers are left when it has died for the last time.
KEYS, TIMES = dose(short=1_000, full=5_000), 5
CALLERS = 40
# How often it is killed at each step.
DEATHS = dose(short=1, full=10)

# `windlass serve` that kills itself at a step, sooner or later from life to life.
DYING = """
import os, random, signal
from windlass.store import shelf, sql_store

step, passes = {step!r}, random.Random({life}).randrange(3, 12)

def mortal(owner, name, before, after):
    acts = getattr(owner, name)
    async def act(*args, **given):
        die(before)
        answer = await acts(*args, **given)
        die(after)
        return answer
    setattr(owner, name, act)

def mortal_script(make):
    def script(*args, **given):
        steps = make(*args, **given)
        try:
            statement = next(steps)
            while True:
                rows = yield statement
                die("inside the transaction")
                statement = steps.send(rows)
        except StopIteration as stop:
            return stop.value
    return script

def die(where):
    global passes
    if where == step:
        passes -= 1
        if passes == 0:
            os.kill(os.getpid(), signal.SIGKILL)

mortal(shelf.Shelf, "look_at_keys", "before the look", "before the commit")
mortal(sql_store.SqlStore, "enqueue", None, "after the commit")
mortal(shelf.Shelf, "fill", None, "before the answer")
sql_store._enqueue_all = mortal_script(sql_store._enqueue_all)
"""
STEPS = (
    "before the look",
    "before the commit",
    "inside the transaction",
    "after the commit",
    "before the answer",
)


class Callers:
    """Those who ask until they are answered, as whoever uses a key does."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.ids: dict[str, set[str]] = {}
        self.answers = 0

    async def run(self) -> None:
        """Send every key so many times, several of each at once."""
        wanted = iter([f"key {number}" for number in range(KEYS) for _ in range(TIMES)])
        async with aiohttp.ClientSession(self._url) as session:
            await asyncio.gather(*(self._call(session, wanted) for _ in range(CALLERS)))

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


async def lives(api: Api) -> list[int]:
    """Start the API again each time it has died; answer with what it died of."""
    died = []
    for life, step in enumerate(STEPS * DEATHS):
        api.code = DYING.format(step=step, life=life) + START
        await api.start()
        died.append(await api.ended())
    api.code = START
    await api.start()
    return died


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
        api = Api(tmp_path, store_url)
        callers = Callers(api.url)
        living, empty = asyncio.create_task(lives(api)), asyncio.create_task(emptying(server))
        try:
            await callers.run()
            died = await living
        finally:
            empty.cancel()
            living.cancel()
            api.kill()

        async with Windlass(store_url) as app:
            stats = await app.stats()

    record_property("deaths", len(died))
    record_property("requests answered", callers.answers)
    record_property("jobs for each key", max(len(ids) for ids in callers.ids.values()))
    assert died == [-signal.SIGKILL] * len(STEPS) * DEATHS
    assert callers.answers == KEYS * TIMES
    assert len(callers.ids) == KEYS
    assert all(len(ids) == 1 for ids in callers.ids.values())
    assert len(set.union(*callers.ids.values())) == KEYS
    assert {state: count for state, count in stats.states.items() if count} == {State.PENDING: KEYS}
