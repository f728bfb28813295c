"""SAQ on Redis: two workers, twenty jobs at once, nothing kept."""
# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "saq==0.26.4", "redis==7.4.1", "hiredis==3.5.0", "orjson==3.13.0",
#   "typing-extensions==4.16.0", "uvloop==0.23.0",
# ]
#
# [tool.side]
# name = "SAQ (Redis)"
# store = "redis"
# durable = false
# setup = "2 workers of 20 jobs at once, jobs deleted when done, orjson, uvloop"
# workers = 1
# worker = ["{bin}/saq", "benchmarks.peers.sides.saq_redis.settings", "--workers", "2"]
# slots = 40
# drain = 40_000
# ///

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

import orjson
import uvloop
from saq import Job, Queue

from benchmarks.peers import record
from benchmarks.peers.side import Side, at_once, payload

asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())  # SAQ asks it for the worker's loop
queue = Queue.from_url(os.environ["SIDE_STORE"], dump=orjson.dumps, load=orjson.loads)


async def noop(_: dict[str, Any], *, i: int, t: float) -> None:
    record.started(i, t)


def noop_sync(_: dict[str, Any], *, i: int, t: float) -> None:
    record.started(i, t)


async def nap(_: dict[str, Any], *, i: int, t: float, seconds: float) -> None:
    record.started(i, t)
    await asyncio.sleep(seconds)
    record.ended(i, t)


async def stumble(context: dict[str, Any], *, i: int, t: float) -> None:
    record.started(i, t)
    if context["job"].attempts == 1:
        raise RuntimeError("stumbled")


settings = {"queue": queue, "functions": [noop, noop_sync, nap, stumble], "concurrency": 20}


@asynccontextmanager
async def session() -> AsyncIterator[None]:
    """Keep connections open."""
    await queue.connect()
    yield
    await queue.disconnect()


def job(kind: str, number: int) -> Job:
    """A job of which nothing is kept when it is done."""
    again = {"retries": 2, "retry_delay": 1.0} if kind == "stumble" else {}
    return Job(kind, kwargs=payload(kind, number), ttl=-1, **again)


async def enqueue(kind: str, numbers: Iterable[int]) -> None:
    """One by one."""
    for number in numbers:
        await queue.enqueue(job(kind, number))


async def concurrent(kind: str, numbers: Iterable[int]) -> None:
    """SAQ has no bulk call."""
    await at_once(lambda number: queue.enqueue(job(kind, number)), numbers)


def prepare() -> None:
    """Redis needs nothing."""


SIDE = Side(
    prepare=prepare,
    enqueue=enqueue,
    concurrent=concurrent,
    sync=True,
    session=session,
    loop=uvloop.new_event_loop,
)
