"""streaq on Redis streams: two workers, 32 tasks at once, nothing kept."""
# /// script
# requires-python = ">=3.11"
# dependencies = ["streaq==7.2.0", "coredis==6.9.0", "uvloop==0.23.0"]
#
# [tool.side]
# name = "streaq"
# store = "redis"
# durable = false
# setup = "2 workers of 32 tasks at once, no results, uvloop"
# workers = 1
# worker = ["{bin}/streaq", "run", "benchmarks.peers.sides.streaq:worker", "-w", "2"]
# slots = 64
# drain = 25_000
# ///

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable

import uvloop
from streaq import StreaqRetry, Worker

from benchmarks.peers import record
from benchmarks.peers.side import Side, payload

worker = Worker(
    redis_url=os.environ["SIDE_STORE"], concurrency=32, anyio_kwargs={"use_uvloop": True}
)


@worker.task(ttl=0, silent=True)
async def noop(i: int, t: float) -> None:
    record.started(i, t)


@worker.task(ttl=0, silent=True)
def noop_sync(i: int, t: float) -> None:
    record.started(i, t)


@worker.task(ttl=0, silent=True)
async def nap(i: int, t: float, seconds: float) -> None:
    record.started(i, t)
    await asyncio.sleep(seconds)
    record.ended(i, t)


@worker.task(ttl=0, silent=True)
async def stumble(i: int, t: float) -> None:
    record.started(i, t)
    if stumble.context.tries == 1:
        raise StreaqRetry(delay=1)


KINDS = {"noop": noop, "noop_sync": noop_sync, "nap": nap, "stumble": stumble}


async def enqueue(kind: str, numbers: Iterable[int]) -> None:
    """One by one."""
    for number in numbers:
        await KINDS[kind].enqueue(**payload(kind, number))


async def enqueue_many(kind: str, numbers: Iterable[int]) -> None:
    """In one pipeline."""
    task = KINDS[kind]
    await worker.enqueue_many([task.enqueue(**payload(kind, number)) for number in numbers])


async def prepare() -> None:
    """The groups of consumers are made by the first worker, and begin with the first task."""


SIDE = Side(
    prepare=prepare,
    enqueue=enqueue,
    enqueue_many=enqueue_many,
    sync=True,
    session=lambda: worker,
    loop=uvloop.new_event_loop,
)
