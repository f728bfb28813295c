"""Procrastinate on PostgreSQL: two workers of twenty coroutines."""
# /// script
# requires-python = ">=3.11"
# dependencies = ["procrastinate==3.10.0", "psycopg[binary,pool]==3.3.8", "uvloop==0.23.0"]
#
# [tool.side]
# name = "Procrastinate"
# store = "postgres"
# durable = true
# setup = "2 workers, 20 coroutines each, psycopg with C, uvloop, finished jobs deleted"
# workers = 2
# worker = ["{python}", "-m", "benchmarks.peers", "procrastinate", "work"]
# drain = 10_000
# slots = 40
# ///

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable

import uvloop
from procrastinate import App, JobContext, PsycopgConnector, RetryStrategy

from benchmarks.peers import record
from benchmarks.peers.side import Side, payload

app = App(connector=PsycopgConnector(conninfo=os.environ["SIDE_STORE"], max_size=20))


@app.task
async def noop(i: int, t: float) -> None:
    record.started(i, t)


@app.task
def noop_sync(i: int, t: float) -> None:
    record.started(i, t)


@app.task
async def nap(i: int, t: float, seconds: float) -> None:
    record.started(i, t)
    await asyncio.sleep(seconds)
    record.ended(i, t)


@app.task(retry=RetryStrategy(max_attempts=2, wait=1), pass_context=True)
async def stumble(context: JobContext, i: int, t: float) -> None:
    record.started(i, t)
    if context.job.attempts == 0:
        raise RuntimeError("stumbled")


KINDS = {"noop": noop, "noop_sync": noop_sync, "nap": nap, "stumble": stumble}


async def prepare() -> None:
    async with app.open_async():
        await app.schema_manager.apply_schema_async()


async def enqueue(kind: str, numbers: Iterable[int]) -> None:
    task = KINDS[kind]
    for number in numbers:
        await task.defer_async(**payload(kind, number))


async def enqueue_many(kind: str, numbers: Iterable[int]) -> None:
    await KINDS[kind].batch_defer_async(*[payload(kind, number) for number in numbers])


async def work() -> None:
    """Its command does the same, without uvloop; retries are found by polling only."""
    async with app.open_async():
        await app.run_worker_async(
            concurrency=20, delete_jobs="successful", fetch_job_polling_interval=0.1
        )


SIDE = Side(
    prepare=prepare,
    enqueue=enqueue,
    enqueue_many=enqueue_many,
    sync=True,
    work=work,
    session=app.open_async,
    loop=uvloop.new_event_loop,
)
