"""arq on Redis: two workers, a hundred jobs at once, polling each 10 ms."""
# /// script
# requires-python = ">=3.11"
# dependencies = ["arq==0.28.0", "redis==5.3.1", "hiredis==3.5.0", "uvloop==0.23.0"]
#
# [tool.side]
# name = "arq"
# store = "redis"
# durable = false
# setup = "2 workers of 100 jobs at once, polls each 10 ms, no results, uvloop"
# workers = 2
# worker = [
#   "{bin}/arq", "benchmarks.peers.sides.arq.WorkerSettings",
#   "--custom-log-dict", "benchmarks.peers.sides.arq.LOGGING",
# ]
# slots = 200
# drain = 20_000
# ///

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any, ClassVar

import uvloop
from arq import ArqRedis, Retry, create_pool
from arq.connections import RedisSettings

from benchmarks.peers import record
from benchmarks.peers.side import Side, at_once, payload

LOGGING = {"version": 1, "root": {"level": "WARNING"}}

asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())  # arq asks it for the worker's loop
settings = RedisSettings.from_dsn(os.environ["SIDE_STORE"])


async def noop(_: dict[str, Any], i: int, t: float) -> None:
    record.started(i, t)


async def nap(_: dict[str, Any], i: int, t: float, seconds: float) -> None:
    record.started(i, t)
    await asyncio.sleep(seconds)
    record.ended(i, t)


async def stumble(context: dict[str, Any], i: int, t: float) -> None:
    record.started(i, t)
    if context["job_try"] == 1:
        raise Retry(defer=1)


class WorkerSettings:
    """What the worker is told."""

    functions: ClassVar = [noop, nap, stumble]
    redis_settings = settings
    max_jobs = 100
    poll_delay = 0.01
    keep_result = 0


class Pool:
    """The way in, while it is open."""

    redis: ArqRedis


@asynccontextmanager
async def session() -> AsyncIterator[None]:
    """Keep a pool of connections open."""
    Pool.redis = await create_pool(settings)
    yield
    await Pool.redis.aclose()


async def enqueue(kind: str, numbers: Iterable[int]) -> None:
    """One by one."""
    for number in numbers:
        await Pool.redis.enqueue_job(kind, **payload(kind, number))


async def concurrent(kind: str, numbers: Iterable[int]) -> None:
    """There is no bulk call."""
    await at_once(lambda number: Pool.redis.enqueue_job(kind, **payload(kind, number)), numbers)


def prepare() -> None:
    """Redis needs nothing."""


SIDE = Side(
    prepare=prepare,
    enqueue=enqueue,
    concurrent=concurrent,
    session=session,
    loop=uvloop.new_event_loop,
)
