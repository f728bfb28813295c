"""SAQ on PostgreSQL: two processes of twenty coroutines, finished jobs deleted."""
# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "saq==0.26.4", "psycopg[binary,pool]==3.3.8", "orjson==3.13.0", "uvloop==0.23.0",
# ]
#
# [tool.side]
# name = "SAQ (PostgreSQL)"
# store = "postgres"
# durable = true
# setup = "2 processes, 20 coroutines each, psycopg with C, orjson, uvloop, finished jobs deleted"
# workers = 1
# worker = ["{bin}/saq", "benchmarks.peers.sides.saq_postgres.settings", "--workers", "2"]
# drain = 10_000
# slots = 40
# ///

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

import orjson
import uvloop
from saq import Queue

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

DELETED = -1  # how long a finished job is kept
RETRIES = {"noop": 1, "noop_sync": 1, "nap": 1, "stumble": 2}


@asynccontextmanager
async def session() -> AsyncIterator[None]:
    """A pool of connections."""
    await queue.connect()
    yield
    await queue.disconnect()


async def prepare() -> None:
    """A queue makes its tables when it connects."""
    async with session():
        pass


async def enqueue(kind: str, numbers: Iterable[int]) -> None:
    for number in numbers:
        await send(kind, number)


async def concurrent(kind: str, numbers: Iterable[int]) -> None:
    """SAQ has no bulk call."""
    await at_once(lambda number: send(kind, number), numbers)


async def send(kind: str, number: int) -> None:
    await queue.enqueue(
        kind, ttl=DELETED, retries=RETRIES[kind], retry_delay=1, **payload(kind, number)
    )


SIDE = Side(
    prepare=prepare,
    enqueue=enqueue,
    concurrent=concurrent,
    sync=True,
    session=session,
    loop=uvloop.new_event_loop,
)
