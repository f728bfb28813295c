"""Windlass in an ASGI application: with it from its start to its end."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import pytest
from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request

from windlass import Windlass
from windlass.contrib.starlette import lifespan, problem, windlass_of
from windlass.core.errors import BadInput, StoreAway, UnknownJob

HTTP = {"type": "http", "headers": []}


async def test_jobs_run_in_the_application_while_it_lives(sqlite_url: str) -> None:
    jobs = Windlass(sqlite_url)

    @jobs.job
    async def double(number: int) -> int:
        return 2 * number

    async with lifespan(jobs, worker=True)(Starlette()) as state:
        found = windlass_of(HTTPConnection({**HTTP, "state": dict(state)}))
        kept = await double.enqueue(21)
        done = await jobs.wait(kept.id, 30)

    assert found is jobs
    assert done.result == 42


async def test_an_address_that_is_wrong_is_told_at_the_start() -> None:
    jobs = Windlass("postgresql://nobody@127.0.0.1:9/nothing")

    with pytest.raises(StoreAway):
        async with lifespan(jobs)(Starlette()):
            pass


async def test_what_the_application_opens_is_there_until_the_last_job_is_over(
    sqlite_url: str,
) -> None:
    jobs = Windlass(sqlite_url)
    events: list[str] = []
    begun = asyncio.Event()

    @asynccontextmanager
    async def own(_app: Starlette) -> AsyncIterator[dict[str, str]]:
        events.append("opened")
        yield {"tide": "high"}
        events.append("closed")

    @jobs.job
    async def work() -> None:
        begun.set()
        await asyncio.sleep(0.1)
        events.append("worked")

    async with lifespan(jobs, worker=True, around=own)(Starlette()) as state:
        await work.enqueue()
        await begun.wait()

    assert state["tide"] == "high"
    assert events == ["opened", "worked", "closed"]


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (UnknownJob("7"), 404, "no job 7"),
        (BadInput("two is too many"), 422, "two is too many"),
        (StoreAway("password=secret"), 503, "try again in a moment"),
    ],
)
async def test_an_error_is_answered_as_the_api_would(
    error: Exception, status: int, said: str
) -> None:
    answer = await problem(Request(HTTP), error)

    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert said in msgspec.json.decode(answer.body)["detail"]
