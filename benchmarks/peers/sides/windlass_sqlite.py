"""Windlass on SQLite: one worker process, each commit on the disk before it is answered."""
# /// script
# requires-python = ">=3.11"
# dependencies = []
#
# [tool.side]
# name = "Windlass (SQLite)"
# store = "sqlite"
# durable = true
# setup = "one worker process, WAL, synchronous=FULL, no settings"
# workers = 1
# worker = ["{bin}/windlass", "worker", "--app", "benchmarks.peers.sides.windlass_sqlite:app"]
# drain = 400_000
# slots = 100
#
# [tool.side.env]
# WINDLASS_STORE = "sqlite:///{store}"
# WINDLASS_LOG = "warning"
# ///

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Iterable
from dataclasses import replace

from benchmarks.peers.side import payload
from benchmarks.peers.sides import windlass_postgres
from benchmarks.peers.sides.windlass_postgres import KINDS, app
from windlass.wiring import migrate

__all__ = ["SIDE", "app"]


async def prepare() -> None:
    await migrate(os.environ["WINDLASS_STORE"])
    ask("create table side_effects (number integer)")


def effects() -> list[int]:
    return [number for (number,) in ask("select number from side_effects")]


def ask(statement: str) -> list[tuple[int]]:
    file = sqlite3.connect(os.environ["SIDE_STORE"])
    rows = file.execute(statement).fetchall()
    file.close()
    return rows


async def enqueue(kind: str, numbers: Iterable[int]) -> None:
    """One by one from plain code, as Celery, Dramatiq, Huey and RQ are called.

    The harness stands on an event loop, where our plain calls are refused lest they halt it, so
    they are made in a thread beside it. That is one hop for a hundred jobs, and it is counted.
    Each call returns when its own job is on the disk: nothing is gathered, and no commit shared.
    """
    await asyncio.to_thread(_enqueue, kind, numbers)


def _enqueue(kind: str, numbers: Iterable[int]) -> None:
    job = KINDS[kind]
    for number in numbers:
        app.blocking.enqueue(job.job(**payload(kind, number)))


SIDE = replace(windlass_postgres.SIDE, prepare=prepare, enqueue=enqueue, effects=effects)
