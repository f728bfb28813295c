"""Two API processes tell of the same jobs: with Redis one asks the database for both."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from tests.acceptance.api import Api
from tests.acceptance.fleet import START
from tests.waiting import until

COUNTING = """
from windlass.store.postgres import PostgresDatabase
execute = PostgresDatabase.execute
async def counting(self, connection, statement):
    with open("statements", "a") as file:
        file.write(statement.name + "\\n")
    return await execute(self, connection, statement)
PostgresDatabase.execute = counting
"""
# So many looks at the jobs are counted at a time, by both processes together.
LOOKS = 6
SUBMITTED = {"type": "add_numbers", "payload": {"x": 1, "y": 1}}


class Process:
    """An API process that writes down its statements, and one who listens to a job there."""

    def __init__(self, folder: Path, store_url: str) -> None:
        folder.mkdir()
        self._statements = folder / "statements"
        self.api = Api(folder, store_url, COUNTING + START)
        self.heard: list[str] = []

    async def listen(self, job: str) -> None:
        """Hear until cancelled."""
        forever = aiohttp.ClientTimeout()
        async with (
            aiohttp.ClientSession(self.api.url, timeout=forever) as client,
            client.get("/events", params={"jobs": job}) as stream,
        ):
            async for line in stream.content:
                self.heard.append(line.decode())

    def told(self, status: str) -> bool:
        """Whether it was told that the job is in this state."""
        return any(f'"status":"{status}"' in line for line in self.heard)

    def asked(self) -> Counter[str]:
        """Its statements so far, by name."""
        return Counter(self._statements.read_text().split())


@asynccontextmanager
async def two(folder: Path, store_url: str) -> AsyncIterator[list[Process]]:
    """Both serve; they end with the block."""
    processes = [Process(folder / name, store_url) for name in ("one", "other")]
    async with AsyncExitStack() as stack:
        await asyncio.gather(*(process.api.start() for process in processes))
        for process in processes:
            stack.callback(process.api.kill)
        yield processes


@pytest.mark.parametrize("store_url", ["postgres"], indirect=True)
@pytest.mark.timeout(120)
async def test_what_one_process_asks_the_database_the_other_need_not(
    store_url: str,
    redis_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    monkeypatch.setenv("WINDLASS_REDIS", redis_url)
    async with two(tmp_path, store_url) as processes, asyncio.TaskGroup() as group:
        async with aiohttp.ClientSession(processes[0].api.url) as client:
            async with client.post("/jobs", json=SUBMITTED) as answer:
                job = (await answer.json())["id"]
            listeners = [group.create_task(process.listen(job)) for process in processes]
            await until(lambda: all(process.told("pending") for process in processes))

            shares = await until_spared(processes)
            record_property("looks", shares)

            async with client.post(f"/jobs/{job}/cancel") as answer:
                assert answer.status == 202
        await until(lambda: all(process.told("cancelled") for process in processes))
        for listener in listeners:
            listener.cancel()


async def until_spared(processes: list[Process]) -> list[int]:
    """The looks of each, the first time that nearly all are those of one.

    Without Redis each has half of them; on a busy machine one may come too late for the other.
    """
    async with asyncio.timeout(60):
        while True:
            before = looks(processes)
            await until(lambda: sum(looks(processes)) >= sum(before) + LOOKS)  # noqa: B023
            shares = [now - then for now, then in zip(looks(processes), before, strict=True)]
            if min(shares) <= 1:
                return shares


def looks(processes: list[Process]) -> list[int]:
    return [process.asked()["glance"] for process in processes]
