"""PgQueuer on PostgreSQL: two processes that claim and settle a thousand jobs at a time."""
# /// script
# requires-python = ">=3.11"
# dependencies = ["pgqueuer==1.6.0", "asyncpg==0.32.0", "uvloop==0.23.0"]
#
# [tool.side]
# name = "PgQueuer"
# store = "postgres"
# durable = true
# setup = "2 processes, batches of 1,000, asyncpg, uvloop"
# workers = 2
# worker = ["{python}", "-m", "benchmarks.peers", "pgqueuer", "work"]
# drain = 250_000
# slots = 500
# ///

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from datetime import timedelta

import asyncpg
import uvloop
from pgqueuer import Job, PgQueuer, Queries, RetryRequested

from benchmarks.peers import record
from benchmarks.peers.side import Side, payload

DELAY = timedelta(seconds=1)


async def noop(job: Job) -> None:
    sent = json.loads(job.payload)
    record.started(sent["i"], sent["t"])


async def nap(job: Job) -> None:
    sent = json.loads(job.payload)
    record.started(sent["i"], sent["t"])
    await asyncio.sleep(sent["seconds"])
    record.ended(sent["i"], sent["t"])


async def stumble(job: Job) -> None:
    sent = json.loads(job.payload)
    record.started(sent["i"], sent["t"])
    if job.attempts == 0:
        raise RetryRequested(delay=DELAY)


async def work() -> None:
    """Its command `pgq run` fails with the typer of today; this is what it would do."""
    logging.disable(logging.INFO)
    connection = await asyncpg.connect(os.environ["SIDE_STORE"])
    pgqueuer = PgQueuer.from_asyncpg_connection(connection)
    for job in (noop, nap, stumble):
        pgqueuer.entrypoint(job.__name__)(job)
    await pgqueuer.run(batch_size=1_000)


queries: ContextVar[Queries] = ContextVar("queries")


@asynccontextmanager
async def session() -> AsyncIterator[None]:
    """One connection: more would wait for nothing."""
    connection = await asyncpg.connect(os.environ["SIDE_STORE"])
    queries.set(Queries.from_asyncpg_connection(connection))
    yield
    await connection.close()


async def prepare() -> None:
    async with session():
        await queries.get().install()


async def enqueue(kind: str, numbers: Iterable[int]) -> None:
    for number in numbers:
        await queries.get().enqueue(kind, packed(kind, number))


async def enqueue_many(kind: str, numbers: Iterable[int]) -> None:
    """Lists of the same length, one item for each job."""
    jobs = [packed(kind, number) for number in numbers]
    await queries.get().enqueue([kind] * len(jobs), jobs, [0] * len(jobs))


def packed(kind: str, number: int) -> bytes:
    """What a job gets, as the bytes that PgQueuer carries."""
    return json.dumps(payload(kind, number)).encode()


SIDE = Side(
    prepare=prepare,
    enqueue=enqueue,
    enqueue_many=enqueue_many,
    work=work,
    session=session,
    loop=uvloop.new_event_loop,
)
