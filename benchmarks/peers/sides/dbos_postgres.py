"""DBOS on PostgreSQL: two processes, a hundred workflows each, found by polling often.

A job is a workflow without steps; only what is to be tried again is a step.
"""
# /// script
# requires-python = ">=3.11"
# dependencies = ["dbos==3.3.0", "psycopg[binary]==3.3.8"]
#
# [tool.side]
# name = "DBOS (PostgreSQL)"
# store = "postgres"
# durable = true
# setup = "2 processes, 100 workflows each, polled every 10 ms, no steps"
# workers = 2
# worker = [
#   "env", "DBOS__VMID={number}", "{python}", "-m", "benchmarks.peers", "dbos_postgres", "work",
# ]
# drain = 10_000
# slots = 200
# ///

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from functools import cache

import sqlalchemy
from dbos import DBOS, DBOSClient, EnqueueOptions, SQLAlchemyDatasource

from benchmarks.peers import record
from benchmarks.peers.side import Side, payload

STORE = os.environ["SIDE_STORE"]
URL = STORE if "://" in STORE else f"sqlite:///{STORE}"

# Its executor id, by which it knows its own workflows after a crash, is in DBOS__VMID.
DBOS(config={"name": "bench", "system_database_url": URL, "log_level": "ERROR"})


@DBOS.workflow()
async def noop(i: int, t: float) -> None:
    record.started(i, t)


@DBOS.workflow()
def noop_sync(i: int, t: float) -> None:
    record.started(i, t)


@DBOS.workflow()
async def nap(i: int, t: float, seconds: float) -> None:
    record.started(i, t)
    await asyncio.sleep(seconds)
    record.ended(i, t)


@DBOS.workflow()
def keep(i: int, t: float, seconds: float) -> None:
    record.started(i, t)
    time.sleep(seconds)
    source().run_tx_step({"isolation_level": "READ COMMITTED"}, put, i)
    record.ended(i, t)


def put(number: int) -> None:
    """Once: that this step is done is kept in the same transaction."""
    insert = sqlalchemy.text("insert into side_effects values (:number)")
    source().sql_session().execute(insert, {"number": number})


@cache
def source() -> SQLAlchemyDatasource:
    return SQLAlchemyDatasource.create(URL)


@DBOS.workflow()
async def stumble(i: int, t: float) -> None:
    await step(i, t)


@DBOS.step(retries_allowed=True, interval_seconds=1, max_attempts=2)
async def step(i: int, t: float) -> None:
    record.started(i, t)
    if DBOS.step_status.current_attempt == 0:
        raise RuntimeError("stumbled")


async def prepare() -> None:
    """Its first launch makes the schema."""
    source()
    DBOS.launch()
    await DBOS.register_queue_async("bench", worker_concurrency=100, polling_interval_sec=0.01)
    DBOS.destroy()
    with engine.begin() as connection:
        connection.execute(sqlalchemy.text("create table side_effects (number integer)"))


def effects() -> list[int]:
    with engine.begin() as connection:
        found = connection.execute(sqlalchemy.text("select number from side_effects"))
        return [number for (number,) in found]


async def work() -> None:
    if "SIDE_NAP" in os.environ:
        source()  # before the launch; where no job will need it, it would only hold up the start
    DBOS.launch()
    await asyncio.Event().wait()


client: ContextVar[DBOSClient] = ContextVar("client")


@asynccontextmanager
async def session() -> AsyncIterator[None]:
    client.set(DBOSClient(system_database_url=URL))
    yield
    client.get().destroy()


def enqueue(kind: str, numbers: Iterable[int]) -> None:
    for number in numbers:
        client.get().enqueue(options(kind), **payload(kind, number))


def options(kind: str) -> EnqueueOptions:
    return {"queue_name": "bench", "workflow_name": kind}


engine = sqlalchemy.create_engine(URL.replace("postgresql:", "postgresql+psycopg:"))


def enqueue_many(kind: str, numbers: Iterable[int]) -> None:
    """One by one in one transaction: DBOS has no bulk call."""
    with engine.begin() as connection:
        for number in numbers:
            client.get().enqueue_in_transaction(connection, options(kind), **payload(kind, number))


SIDE = Side(
    prepare=prepare,
    enqueue=enqueue,
    enqueue_many=enqueue_many,
    sync=True,
    effects=effects,
    work=work,
    session=session,
)
