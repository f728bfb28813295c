"""Absurd on PostgreSQL: two processes of fifty coroutines, found by polling often.

Its tables and functions are in the package of its command.
"""
# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "absurd-sdk==0.5.1", "absurdctl==0.5.1", "psycopg[binary]==3.3.8", "uvloop==0.23.0",
# ]
#
# [tool.side]
# name = "Absurd"
# store = "postgres"
# durable = true
# setup = "2 processes, 50 coroutines each, polled every 10 ms, psycopg with C, uvloop"
# workers = 2
# worker = ["{python}", "-m", "benchmarks.peers", "absurd", "work"]
# drain = 15_000
# slots = 100
# ///

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any

import uvloop
from absurd_sdk import AsyncAbsurd, AsyncTaskContext, RetryStrategy
from absurdctl import BUNDLED_SCHEMA_SQL
from psycopg import AsyncConnection

from benchmarks.peers import record
from benchmarks.peers.side import Side, payload

DELAY = RetryStrategy(kind="fixed", base_seconds=1)

app = AsyncAbsurd(os.environ["SIDE_STORE"])


@app.register_task("noop")
async def noop(job: dict[str, Any], _: AsyncTaskContext) -> None:
    record.started(job["i"], job["t"])


@app.register_task("nap")
async def nap(job: dict[str, Any], _: AsyncTaskContext) -> None:
    record.started(job["i"], job["t"])
    await asyncio.sleep(job["seconds"])
    record.ended(job["i"], job["t"])


@app.register_task("stumble")
async def stumble(job: dict[str, Any], context: AsyncTaskContext) -> None:
    record.started(job["i"], job["t"])
    if context._task["attempt"] == 1:  # noqa: SLF001 (told nowhere else)
        raise RuntimeError("stumbled")


async def work() -> None:
    await app.start_worker(concurrency=50, poll_interval=0.01)


connection: ContextVar[AsyncConnection] = ContextVar("connection")


@asynccontextmanager
async def session() -> AsyncIterator[None]:
    """One connection: it is all that a client of Absurd has."""
    async with await AsyncConnection.connect(os.environ["SIDE_STORE"], autocommit=True) as opened:
        connection.set(opened)
        yield


async def prepare() -> None:
    async with session():
        await connection.get().execute(BUNDLED_SCHEMA_SQL)
        await AsyncAbsurd(connection.get()).create_queue("default")


async def enqueue(kind: str, numbers: Iterable[int]) -> None:
    client = AsyncAbsurd(connection.get())
    for number in numbers:
        await client.spawn(
            kind, payload(kind, number), queue="default", max_attempts=2, retry_strategy=DELAY
        )


async def enqueue_many(kind: str, numbers: Iterable[int]) -> None:
    """Absurd has no bulk call: one by one in one transaction."""
    async with connection.get().transaction():
        await enqueue(kind, numbers)


SIDE = Side(
    prepare=prepare,
    enqueue=enqueue,
    enqueue_many=enqueue_many,
    work=work,
    session=session,
    loop=uvloop.new_event_loop,
)
