"""Redis is killed, frozen, emptied and starved under load: same answers, and none much later."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from statistics import quantiles
from typing import Any

import aiohttp
import pytest

from tests.acceptance.api import Api, serving
from tests.acceptance.mischief import HARMS, harmed
from tests.faults.dose import dose
from tests.services.redis import RedisServer

CALM, HARMED = dose(short=(1.0, 2.0), full=(1.5, 4.0))
CALLERS = 4
# What a request may cost more than the worst one without any harm. None may cost more than that: of
# thousands only a few dozen are under way in the moment when Redis is lost.
ADDED = dose(short=0.3, full=0.060)
# A machine that runs other tests keeps requests waiting for its own reasons, but not each time.
ROUNDS = 4


@pytest.fixture
def server() -> Iterator[RedisServer]:
    """A Redis that the test may harm."""
    with RedisServer() as server:
        yield server


class Load:
    """Callers that submit, submit again, read, cancel and read, and check every answer."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._number = 0
        self.took: list[float] = []
        self.wrong: list[tuple[str, object, object]] = []

    async def run(self, seconds: float) -> list[float]:
        """How long each request took, in seconds."""
        self.took = []
        ends = time.monotonic() + seconds
        async with aiohttp.ClientSession(self._api.url) as client:
            await asyncio.gather(*(self._go_on(client, ends) for _ in range(CALLERS)))
        return self.took

    async def _go_on(self, client: aiohttp.ClientSession, ends: float) -> None:
        while time.monotonic() < ends:
            self._number += 1
            await self._one_job(client, self._number)
            await asyncio.sleep(0.01)

    async def _one_job(self, client: aiohttp.ClientSession, number: int) -> None:
        body = {"type": "add_numbers", "payload": {"x": number, "y": 1}}
        keyed: Any = {"json": body, "headers": {"Idempotency-Key": f"job {number}"}}
        first = await self._ask(client.post("/jobs", **keyed), 202)
        path = f"/jobs/{first['id']}"
        again = await self._ask(client.post("/jobs", **keyed), 200)
        self._expect("the same job", again["id"], first["id"])
        for _ in range(3):
            read = await self._ask(client.get(path), 200)
            said = read["status"], read["payload"]["x"]
            self._expect("as it was enqueued", said, ("pending", number))
        await self._ask(client.post(f"{path}/cancel"), 202)
        read = await self._ask(client.get(path), 200)
        self._expect("as it was cancelled", read["status"], "cancelled")
        again = await self._ask(client.post("/jobs", **keyed), 200)
        self._expect("and so answered", (again["id"], again["status"]), (first["id"], "cancelled"))

    async def _ask(self, request: Any, status: int) -> Any:
        began = time.perf_counter()
        async with request as answer:
            told = await answer.json()
        self.took.append(time.perf_counter() - began)
        self._expect("a good answer", answer.status, status)
        return told

    def _expect(self, what: str, said: object, expected: object) -> None:
        if said != expected:
            self.wrong.append((what, said, expected))


@pytest.mark.parametrize(
    ("harm", "store_url"),
    [*((harm, "postgres") for harm in HARMS), (HARMS[0], "sqlite")],  # the same code on each
    indirect=["store_url"],
)
@pytest.mark.timeout(120)
async def test_whatever_befalls_redis_answers_are_the_same_and_hardly_later(
    harm: Callable[..., None],
    store_url: str,
    tmp_path: Path,
    server: RedisServer,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    monkeypatch.setenv("WINDLASS_REDIS", server.url)
    async with serving(tmp_path, store_url) as api:
        load = Load(api)
        await load.run(0.5)
        calm, under_harm = await in_turns(load, lambda: harmed(server, harm, pause=0.3))

    record_property("calm", told(calm))
    record_property("harmed", told(under_harm))
    assert load.wrong == []
    assert later(calm, under_harm) == [], f"later than {max(calm):.3f} s + {ADDED} s"


async def in_turns(
    load: Load, harm: Callable[[], AbstractContextManager[None]]
) -> tuple[list[float], list[float]]:
    """The requests of a calm time and of one under harm: of the first round without a late one."""
    calm: list[float] = []
    under_harm: list[float] = []
    for _ in range(ROUNDS):
        calm = await load.run(CALM)
        with harm():
            under_harm = await load.run(HARMED)
        if not later(calm, under_harm):
            break
    return calm, under_harm


def later(calm: list[float], under_harm: list[float]) -> list[float]:
    return [took for took in under_harm if took > max(calm) + ADDED]


def told(took: list[float]) -> str:
    """What the latencies come to."""
    half, most = quantiles(took, n=100)[49] * 1000, quantiles(took, n=100)[98] * 1000
    return f"{len(took)} requests: p50 {half:.1f}, p99 {most:.1f}, worst {max(took) * 1000:.1f} ms"
