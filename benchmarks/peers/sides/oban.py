"""Oban for Python on PostgreSQL: two processes, each with one queue of two hundred coroutines."""
# /// script
# requires-python = ">=3.12"
# dependencies = ["oban==0.7.0", "psycopg[binary]==3.3.8", "uvloop==0.23.0"]
#
# [tool.side]
# name = "Oban for Python"
# store = "postgres"
# durable = true
# setup = "2 processes, 200 coroutines each, psycopg with C, uvloop, retries looked for every 0.1 s"
# workers = 2
# worker = ["{python}", "-m", "benchmarks.peers", "oban", "work"]
# drain = 50_000
# slots = 400
# ///

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from contextvars import ContextVar

import orjson
import uvloop
from oban import Job, Oban, worker
from oban.schema import install
from oban.worker import Worker
from psycopg.types.json import set_json_dumps, set_json_loads
from psycopg_pool import AsyncConnectionPool

from benchmarks.peers import record
from benchmarks.peers.side import Side, payload

# As its command does.
set_json_dumps(orjson.dumps)
set_json_loads(orjson.loads)


@worker()
class Noop:
    """A job that does nothing."""

    async def process(self, job: Job) -> None:
        """Write down its start."""
        record.started(job.args["i"], job.args["t"])


@worker()
class Nap:
    """A job that takes a while."""

    async def process(self, job: Job) -> None:
        """Write down its start and its end."""
        record.started(job.args["i"], job.args["t"])
        await asyncio.sleep(job.args["seconds"])
        record.ended(job.args["i"], job.args["t"])


@worker(max_attempts=2)
class Stumble:
    """A job that fails at first."""

    async def process(self, job: Job) -> None:
        """Write down each start."""
        record.started(job.args["i"], job.args["t"])
        if job.attempt == 1:
            raise RuntimeError("stumbled")

    def backoff(self, _: Job) -> int:
        """So many seconds until its second attempt."""
        return 1


KINDS: dict[str, type[Worker]] = {"noop": Noop, "nap": Nap, "stumble": Stumble}

oban: ContextVar[Oban] = ContextVar("oban")


@asynccontextmanager
async def session(**queues: int) -> AsyncIterator[None]:
    """Without queues it only takes jobs."""
    often = {"interval": 0.1}
    async with await opened() as pool, Oban(pool=pool, queues=queues, stager=often) as started:
        oban.set(started)
        yield


async def prepare() -> None:
    async with await opened() as pool:
        await install(pool)


async def opened() -> AsyncConnectionPool:
    return await Oban.create_pool(os.environ["SIDE_STORE"])


async def work() -> None:
    """Its command does the same, and logs."""
    async with session(default=200):
        await asyncio.Event().wait()


async def enqueue(kind: str, numbers: Iterable[int]) -> None:
    for number in numbers:
        await oban.get().enqueue(KINDS[kind].new(payload(kind, number)))


async def enqueue_many(kind: str, numbers: Iterable[int]) -> None:
    await oban.get().enqueue_many(KINDS[kind].new(payload(kind, number)) for number in numbers)


SIDE = Side(
    prepare=prepare,
    enqueue=enqueue,
    enqueue_many=enqueue_many,
    work=work,
    session=session,
    loop=uvloop.new_event_loop,
)
