"""TaskIQ on Redis streams: two processes, a hundred tasks at once, a scheduler for retries."""
# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "taskiq==0.13.0", "taskiq-redis==1.2.4", "redis==8.1.0", "hiredis==3.5.0", "orjson==3.13.0",
#   "uvloop==0.23.0",
# ]
#
# [tool.side]
# name = "TaskIQ"
# store = "redis"
# durable = false
# setup = "streams, 2 processes of 100 tasks at once, no parsing, no results, orjson, uvloop"
# workers = 1
# worker = [
#   "{bin}/taskiq", "worker", "benchmarks.peers.sides.taskiq:broker", "-w", "2",
#   "--max-async-tasks", "100", "--no-parse", "--log-level", "WARNING",
# ]
# # Its brokers on Redis know no delay: a process of its own brings back what was put off.
# beside = [
#   "{bin}/taskiq", "scheduler", "benchmarks.peers.sides.taskiq:scheduler",
#   "--update-interval", "1", "--log-level", "WARNING",
# ]
# slots = 200
# drain = 60_000
# ///

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Annotated

import uvloop
from taskiq import Context, SmartRetryMiddleware, TaskiqDepends, TaskiqScheduler
from taskiq.serializers import ORJSONSerializer
from taskiq_redis import ListRedisScheduleSource, RedisStreamBroker

from benchmarks.peers import record
from benchmarks.peers.side import Side, at_once, payload

later = ListRedisScheduleSource(os.environ["SIDE_STORE"])
broker = (
    RedisStreamBroker(os.environ["SIDE_STORE"])
    .with_serializer(ORJSONSerializer())
    .with_middlewares(SmartRetryMiddleware(default_delay=1, schedule_source=later))
)
scheduler = TaskiqScheduler(broker, [later])


@broker.task
async def noop(i: int, t: float) -> None:
    record.started(i, t)


@broker.task
def noop_sync(i: int, t: float) -> None:
    record.started(i, t)


@broker.task
async def nap(i: int, t: float, seconds: float) -> None:
    record.started(i, t)
    await asyncio.sleep(seconds)
    record.ended(i, t)


@broker.task(retry_on_error=True)
async def stumble(i: int, t: float, context: Annotated[Context, TaskiqDepends()]) -> None:
    record.started(i, t)
    if "_retries" not in context.message.labels:
        raise RuntimeError("stumbled")


KINDS = {"noop": noop, "noop_sync": noop_sync, "nap": nap, "stumble": stumble}


@asynccontextmanager
async def session() -> AsyncIterator[None]:
    """Keep the broker open."""
    await broker.startup()
    yield
    await broker.shutdown()


async def enqueue(kind: str, numbers: Iterable[int]) -> None:
    """One by one."""
    for number in numbers:
        await KINDS[kind].kiq(**payload(kind, number))


async def concurrent(kind: str, numbers: Iterable[int]) -> None:
    """TaskIQ has no bulk call."""
    await at_once(lambda number: KINDS[kind].kiq(**payload(kind, number)), numbers)


async def prepare() -> None:
    """The group of consumers, which sees only what is sent after it was made."""
    async with session():
        pass


SIDE = Side(
    prepare=prepare,
    enqueue=enqueue,
    concurrent=concurrent,
    sync=True,
    session=session,
    loop=uvloop.new_event_loop,
)
