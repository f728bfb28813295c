"""The stream of events over a real connection: what is told, to how many, and for how long."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import msgspec
import pytest

from tests.http.asking import ask
from tests.waiting import until
from windlass import Windlass
from windlass.http import answer as answers
from windlass.http.service import Service
from windlass.store.base import Database
from windlass.store.script import Rows, Statement


@pytest.fixture(autouse=True)
async def telling(service: Service) -> AsyncIterator[None]:
    """Let the service look at what changes."""
    running = asyncio.create_task(service.live.run(service.drain))
    yield
    running.cancel()


@pytest.fixture
async def asked(app: Windlass, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often which statement has read from the store."""
    asked: Counter[str] = Counter()
    database: Database = (await app.home()).store.database  # type: ignore[attr-defined]
    read = database.read

    async def counted(statement: Statement) -> Rows:
        asked[statement.name] += 1
        return await read(statement)

    monkeypatch.setattr(database, "read", counted)
    return asked


class Stream:
    """An open stream, read event by event."""

    def __init__(self, answer: aiohttp.ClientResponse) -> None:
        self.answer = answer
        self.id = ""

    async def next(self, *names: str) -> Any:
        """The document of the next event of one of these names."""
        async with asyncio.timeout(20):
            while True:
                block = (await self.answer.content.readuntil(b"\n\n")).decode().strip()
                said = dict(line.split(": ", 1) for line in block.split("\n"))
                if said.get("event") in names:
                    self.id = said["id"]
                    return msgspec.json.decode(said["data"])

    async def ended(self) -> bool:
        """Whether nothing more comes."""
        async with asyncio.timeout(20):
            async for _ in self.answer.content:
                pass
        return True


@asynccontextmanager
async def listening(
    client: aiohttp.ClientSession, *jobs: str, **headers: str
) -> AsyncIterator[Stream]:
    said = {name.replace("_", "-"): value for name, value in headers.items()}
    async with client.get("/events", params={"jobs": ",".join(jobs)}, headers=said) as answer:
        assert answer.status == 200
        assert answer.content_type == "text/event-stream"
        yield Stream(answer)


async def submitted(client: aiohttp.ClientSession) -> str:
    """A job that waits, since nobody runs any."""
    body = {"type": "add_numbers", "payload": {"x": 1, "y": 2}}
    _, _, answer = await ask(client, "POST", "/jobs", body)
    return str(answer["id"])


async def test_a_reader_is_told_how_its_job_stands_and_then_what_changes(
    client: aiohttp.ClientSession,
) -> None:
    job = await submitted(client)

    async with listening(client, job) as stream:
        first = await stream.next("job")
        await ask(client, "POST", f"/jobs/{job}/cancel")
        second = await stream.next("job")

    assert (first["id"], first["status"]) == (job, "pending")
    assert (second["id"], second["status"]) == (job, "cancelled")
    _, _, read = await ask(client, "GET", f"/jobs/{job}")
    assert second == read


async def test_everybody_is_told_the_counts(client: aiohttp.ClientSession) -> None:
    async with listening(client) as stream:
        first = await stream.next("counts")
        await submitted(client)
        second = await stream.next("counts")

    _, _, stats = await ask(client, "GET", "/stats")
    assert first["pending"] == 0
    assert second == stats


async def test_topics_are_told_as_they_are_read(
    client: aiohttp.ClientSession, asked: Counter[str]
) -> None:
    topics = {"topics": "queues,workers,incidents,jobs"}
    async with client.get("/events", params=topics) as answer:
        stream = Stream(answer)
        none, nobody, nothing = [
            await stream.next(name) for name in ("queues", "workers", "incidents")
        ]
        job = await submitted(client)
        hint = await stream.next("jobs")
        [queue] = await stream.next("queues")
        [incident] = await stream.next("incidents")

    assert none == nobody == nothing == []
    assert hint["changed"] == [{"id": job, "status": "pending"}]
    assert (queue["name"], queue["pending"]) == ("default", 1)
    assert incident["kind"] == "no-worker"
    assert asked["glance"] == 0


async def test_a_reader_that_comes_back_is_told_how_things_stand_by_now(
    client: aiohttp.ClientSession,
) -> None:
    job = await submitted(client)
    async with listening(client, job) as stream:
        await stream.next("job")
        seen = stream.id
    await ask(client, "POST", f"/jobs/{job}/cancel")

    news: dict[str, Any] = {}
    async with listening(client, job, Last_Event_ID=seen) as stream:
        while news.get("status") != "cancelled" or news.get("cancelled") != 1:
            news |= await stream.next("job", "counts")  # in whichever order they come

    assert news["id"] == job
    assert stream.id != seen


async def test_a_job_that_is_deleted_is_gone(client: aiohttp.ClientSession) -> None:
    job = await submitted(client)
    await ask(client, "POST", f"/jobs/{job}/cancel")

    async with listening(client, job) as stream:
        await stream.next("job")
        await ask(client, "DELETE", f"/jobs/{job}")
        gone = await stream.next("gone")

    assert gone == {"id": job}


async def test_a_topic_that_there_is_not_is_refused(client: aiohttp.ClientSession) -> None:
    status, _, problem = await ask(client, "GET", "/events?topics=counts,weather")

    assert status == 400
    assert "no topic 'weather'; topics: counts, queues" in problem["detail"]


@pytest.mark.parametrize(
    ("jobs", "why"),
    [
        ("nonsense", "nonsense"),
        (",".join(f"01890000-0000-7000-8000-{n:012}" for n in range(401)), "up to 400"),
    ],
)
async def test_what_cannot_be_watched_is_refused(
    client: aiohttp.ClientSession, jobs: str, why: str
) -> None:
    status, _, problem = await ask(client, "GET", f"/events?jobs={jobs}")

    assert status == 400
    assert why in problem["detail"]


async def test_streams_end_when_the_service_stops(
    client: aiohttp.ClientSession, service: Service
) -> None:
    async with listening(client) as stream:
        await stream.next("counts")
        service.drain.begin()

        assert await stream.ended()


async def test_who_leaves_is_forgotten(client: aiohttp.ClientSession, service: Service) -> None:
    job = await submitted(client)
    async with listening(client, job) as stream:
        await stream.next("job")

    await until(lambda: not service.live._readers)
    assert not service.live._watchers
    assert not service.live._seen


async def test_who_never_reads_is_let_go_and_holds_nobody_up(
    client: aiohttp.ClientSession,
    service: Service,
    app: Windlass,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(answers, "PATIENCE", 0.5)
    body = {"type": "reverse_string", "payload": {"text": "x" * 12_000}}
    jobs = [(await ask(client, "POST", "/jobs", body))[2]["id"] for _ in range(50)]
    writer = await stalled(client, jobs)

    async with listening(client, *jobs) as stream:
        await until(lambda: len(service.live._readers) == 2)
        # Each round is more than half a megabyte of news; connections buffer a few of them.
        for act in [app.cancel, app.retry] * 20:
            for job in jobs:
                await act(job)
            while (await stream.next("job"))["id"] != jobs[-1]:
                pass
            assert all(len(one._left) <= len(jobs) + 1 for one in service.live._readers)
            if len(service.live._readers) == 1:
                break
        [left] = service.live._readers

    assert left.jobs == set(jobs)
    writer.close()


async def stalled(client: aiohttp.ClientSession, jobs: list[str]) -> asyncio.StreamWriter:
    """A reader that asks for events and then takes no byte of them."""
    url = client._base_url
    assert url is not None
    _, writer = await asyncio.open_connection(url.host, url.port, limit=1024)
    request = f"GET /events?jobs={','.join(jobs)} HTTP/1.1\r\nHost: {url.authority}\r\n\r\n"
    writer.write(request.encode())
    return writer


@pytest.mark.timeout(120)
@pytest.mark.parametrize("readers", [1, 1_000])
async def test_a_thousand_readers_cost_the_store_what_one_costs(
    client: aiohttp.ClientSession, service: Service, asked: Counter[str], readers: int
) -> None:
    jobs = [await submitted(client) for _ in range(10)]
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(client._base_url, connector=connector) as crowd:
        opened = [await crowd.get(f"/events?jobs={','.join(jobs)}") for _ in range(readers)]
        streams = [Stream(answer) for answer in opened]
        for stream in streams:
            await stream.next("counts")
        await until(lambda: not service.live._fresh)
        asked.clear()
        began = time.monotonic()

        for _ in range(3):
            await ask(client, "POST", f"/jobs/{jobs.pop()}/cancel")
            for stream in streams:
                while (await stream.next("job"))["status"] != "cancelled":
                    pass

        took = time.monotonic() - began
        for answer in opened:
            answer.close()
    assert asked["glance"] <= took / 0.5 + 1
    assert asked["find"] <= asked["glance"] + 3  # what cancelling reads itself
    # Counts take two or three statements, once in a second.
    assert asked.total() - asked["glance"] - asked["find"] <= 3 * (took / 0.75 + 1)
