"""Huey on SQLite: one consumer with two processes, no results, commits that do not wait."""
# /// script
# requires-python = ">=3.11"
# dependencies = ["huey==3.5.4"]
#
# [tool.side]
# name = "Huey (SQLite)"
# store = "sqlite"
# durable = false
# setup = "one consumer, 2 processes, WAL, no fsync, polls each 10 ms, no results"
# workers = 1
# worker = [
#   "{bin}/huey_consumer", "benchmarks.peers.sides.huey_sqlite.huey",
#   "-k", "process", "-w", "2", "-n", "-q", "-d", "0.01", "-m", "0.01",
# ]
# slots = 2
# drain = 120_000
# ///

from __future__ import annotations

import os
import time
from collections.abc import Iterable

from huey import SqliteHuey
from huey.api import Task

from benchmarks.peers import record
from benchmarks.peers.side import Side, payload

FSYNC = "SIDE_FSYNC" in os.environ  # as the other side on SQLite has it

huey = SqliteHuey("bench", filename=os.environ["SIDE_STORE"], fsync=FSYNC, results=False)


@huey.task()
def noop(i: int, t: float) -> None:
    record.started(i, t)


@huey.task()
def nap(i: int, t: float, seconds: float) -> None:
    record.started(i, t)
    time.sleep(seconds)
    record.ended(i, t)


@huey.task(retries=1, retry_delay=1, context=True)
def stumble(i: int, t: float, task: Task) -> None:
    record.started(i, t)
    if task.retries == 1:
        raise RuntimeError("stumbled")


KINDS = {"noop": noop, "nap": nap, "stumble": stumble}


def enqueue(kind: str, numbers: Iterable[int]) -> None:
    """Huey has no bulk call, and no coroutines."""
    task = KINDS[kind]
    for number in numbers:
        task(**payload(kind, number))


def prepare() -> None:
    """The tables are made when the storage is opened."""


SIDE = Side(prepare=prepare, enqueue=enqueue)
