"""Windlass on PostgreSQL: one worker process, as it comes."""
# /// script
# requires-python = ">=3.11"
# dependencies = []
#
# [tool.side]
# name = "Windlass (PostgreSQL)"
# store = "postgres"
# durable = true
# setup = "one worker process, no settings"
# workers = 1
# worker = ["{bin}/windlass", "worker", "--app", "benchmarks.peers.sides.windlass_postgres:app"]
# drain = 400_000
# slots = 100
#
# [tool.side.env]
# WINDLASS_STORE = "{store}"
# WINDLASS_LOG = "warning"
# ///

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import uvloop

from benchmarks.peers import record
from benchmarks.peers.side import Side, payload
from windlass import Backoff, Context, JobType, Windlass
from windlass.wiring import migrate

app = Windlass()


@app.job
async def noop(i: int, t: float) -> None:
    record.started(i, t)


@app.job
def noop_sync(i: int, t: float) -> None:
    record.started(i, t)


@app.job
async def nap(i: int, t: float, seconds: float) -> None:
    record.started(i, t)
    await asyncio.sleep(seconds)
    record.ended(i, t)


@app.job
async def keep(ctx: Context, i: int, t: float, seconds: float) -> None:
    record.started(i, t)
    await asyncio.sleep(seconds)
    async with ctx.transaction() as tx:
        # Written out: each store has its own way to name an argument.
        await tx.execute(f"insert into side_effects values ({i:d})")  # noqa: S608
    record.ended(i, t)


@app.job(max_attempts=2, backoff=Backoff(base=1, jitter=0))
async def stumble(ctx: Context, i: int, t: float) -> None:
    record.started(i, t)
    if ctx.attempt == 1:
        raise RuntimeError("stumbled")


KINDS: dict[str, JobType[..., ..., Any]] = {
    "noop": noop,
    "noop_sync": noop_sync,
    "nap": nap,
    "keep": keep,
    "stumble": stumble,
}


@asynccontextmanager
async def session() -> AsyncIterator[None]:
    async with app:
        yield


async def prepare() -> None:
    await migrate(os.environ["WINDLASS_STORE"])
    await ask("create table side_effects (number integer)")


async def effects() -> list[int]:
    return [row["number"] for row in await ask("select number from side_effects")]


async def ask(statement: str) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(os.environ["SIDE_STORE"])
    rows = await connection.fetch(statement)
    await connection.close()
    return rows


async def enqueue(kind: str, numbers: Iterable[int]) -> None:
    job = KINDS[kind]
    for number in numbers:
        await job.enqueue(**payload(kind, number))


async def enqueue_many(kind: str, numbers: Iterable[int]) -> None:
    job = KINDS[kind]
    await app.enqueue_many([job.job(**payload(kind, number)) for number in numbers])


SIDE = Side(
    prepare=prepare,
    enqueue=enqueue,
    enqueue_many=enqueue_many,
    sync=True,
    effects=effects,
    session=session,
    loop=uvloop.new_event_loop,
)
