"""Thousands of requests, and an API that is killed in the middle of them, again and again."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import aiohttp
import msgspec
import pytest

from tests.acceptance.api import Api, serving
from tests.waiting import until
from windlass import Windlass
from windlass.store.records import LAST_ID

REQUESTS = 3_000
CONNECTIONS = 64
KILLS = 3


class Storm:
    """Submits jobs, each told apart by its number, until all were sent."""

    def __init__(self, api: Api) -> None:
        """Every other job has a key, and is sent until it is answered."""
        self._api = api
        self._numbers: Iterator[int] = iter(range(REQUESTS))
        self.accepted: dict[int, str] = {}
        self.sent = 0

    async def run(self) -> None:
        """Send all of them, on as many connections as there are."""
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(10)) as client:
            await asyncio.gather(*(self._send(client) for _ in range(CONNECTIONS)))

    def has_sent(self, share: int) -> bool:
        """Whether so many were sent by now."""
        return self.sent >= share

    async def _send(self, client: aiohttp.ClientSession) -> None:
        for number in self._numbers:
            await self._submit(client, number)
            self.sent += 1

    async def _submit(self, client: aiohttp.ClientSession, number: int) -> None:
        """Without a key it is sent once, for who knows whether it arrived."""
        if keyed(number):
            await until(partial(self._accepted, client, number), at_most=60, every=0.1)
        else:
            await self._accepted(client, number)

    async def _accepted(self, client: aiohttp.ClientSession, number: int) -> bool:
        body = {"type": "add_numbers", "payload": {"x": number, "y": 0}}
        headers = {"Idempotency-Key": f"storm {number}"} if keyed(number) else {}
        try:
            async with client.post(f"{self._api.url}/jobs", json=body, headers=headers) as answer:
                told = await answer.json()
        except (aiohttp.ClientError, TimeoutError):
            return False
        if answer.status not in (200, 202):
            return False
        self.accepted[number] = told["id"]
        return True


def keyed(number: int) -> bool:
    return number % 2 == 0


async def kept(app: Windlass) -> dict[str, int]:
    """The number of every job in the store, by its id."""
    found: dict[str, int] = {}
    before: str | None = LAST_ID
    while before is not None:
        page = await app.page(limit=1000, before=before)
        for job in page.jobs:
            assert job.id not in found
            found[job.id] = msgspec.json.decode(job.payload)["x"]
        before = page.next
    return found


@pytest.mark.timeout(180)
async def test_every_accepted_job_is_there_and_none_is_there_twice(
    store_url: str, tmp_path: Path
) -> None:
    async with serving(tmp_path, store_url) as api:
        storm = Storm(api)
        raging = asyncio.create_task(storm.run())
        for kill in range(KILLS):
            share = (kill + 1) * REQUESTS // (KILLS + 1)
            await until(partial(storm.has_sent, share), at_most=60)
            api.kill()
            await api.start()
        await raging

    async with Windlass(store_url) as app:
        jobs = await kept(app)
    numbers = Counter(jobs.values())
    assert {number: jobs.get(job) for number, job in storm.accepted.items()} == {
        number: number for number in storm.accepted
    }
    assert set(numbers.values()) == {1}
    assert set(range(0, REQUESTS, 2)) <= storm.accepted.keys()
    assert len(storm.accepted) > REQUESTS / 2
