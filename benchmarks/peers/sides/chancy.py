"""Chancy on PostgreSQL: two workers of two hundred coroutines that ask for more at once.

With more of them jobs start sooner, but it takes as long until all are settled.
"""
# /// script
# requires-python = ">=3.11"
# dependencies = ["chancy==0.26.0", "psycopg[binary,pool]==3.3.8", "uvloop==0.23.0"]
#
# [tool.side]
# name = "Chancy"
# store = "postgres"
# durable = true
# setup = "2 workers, 200 coroutines each, eager polling, psycopg with C, uvloop"
# workers = 2
# worker = ["{python}", "-m", "benchmarks.peers", "chancy", "work"]
# drain = 60_000
# slots = 400
# ///

import asyncio
import logging
import os
from collections.abc import Iterable

import uvloop
from chancy import Chancy, Job, Queue, QueuedJob, Worker, job
from chancy.plugins.retry import RetryPlugin

from benchmarks.peers import record
from benchmarks.peers.side import Side, payload

DELAY = {"retry_settings": {"backoff": 1, "backoff_jitter": [0, 0]}}

chancy = Chancy(os.environ["SIDE_STORE"], plugins=[RetryPlugin()], log=logging.getLogger("chancy"))


@job()
async def noop(i: int, t: float) -> None:
    record.started(i, t)


@job(queue="threads")
def noop_sync(i: int, t: float) -> None:
    record.started(i, t)


@job()
async def nap(i: int, t: float, seconds: float) -> None:
    record.started(i, t)
    await asyncio.sleep(seconds)
    record.ended(i, t)


@job(max_attempts=2, meta=DELAY)
async def stumble(i: int, t: float, *, context: QueuedJob) -> None:  # by its annotation
    record.started(i, t)
    if context.attempts == 0:
        raise RuntimeError("stumbled")


KINDS = {"noop": noop, "noop_sync": noop_sync, "nap": nap, "stumble": stumble}


async def prepare() -> None:
    """A queue says how its jobs are run; retries are found by polling, once a second at most."""
    often = {"polling_interval": 1, "eager_polling": True}
    async with chancy:
        await chancy.migrate()
        await chancy.declare(
            Queue("default", concurrency=200, executor=Chancy.Executor.Async, **often)
        )
        await chancy.declare(
            Queue("threads", concurrency=20, executor=Chancy.Executor.Threaded, **often)
        )


async def enqueue(kind: str, numbers: Iterable[int]) -> None:
    for number in numbers:
        await chancy.push(made(kind, number))


async def enqueue_many(kind: str, numbers: Iterable[int]) -> None:
    async for _ in chancy.push_many([made(kind, number) for number in numbers]):
        pass


def made(kind: str, number: int) -> Job:
    """The job of this number."""
    return KINDS[kind].job.with_kwargs(**payload(kind, number))


async def work() -> None:
    """Its command does the same, without uvloop."""
    async with chancy, Worker(chancy) as worker:
        await worker.wait_for_shutdown()


SIDE = Side(
    prepare=prepare,
    enqueue=enqueue,
    enqueue_many=enqueue_many,
    sync=True,
    work=work,
    session=lambda: chancy,
    loop=uvloop.new_event_loop,
)
