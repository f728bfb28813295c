"""Huey on Redis: one consumer with four processes, no results."""
# /// script
# requires-python = ">=3.11"
# dependencies = ["huey==3.5.4", "redis==8.1.0", "hiredis==3.5.0"]
#
# [tool.side]
# name = "Huey (Redis)"
# store = "redis"
# durable = false
# setup = "one consumer, 4 processes, no results, no periodic tasks"
# workers = 1
# worker = [
#   "{bin}/huey_consumer", "benchmarks.peers.sides.huey_redis.huey",
#   "-k", "process", "-w", "4", "-n", "-q",
# ]
# drain = 60_000
# ///

from __future__ import annotations

import os
import time
from collections.abc import Iterable

from huey import RedisHuey
from huey.api import Task

from benchmarks.peers import record
from benchmarks.peers.side import Side, payload

huey = RedisHuey("bench", url=os.environ["SIDE_STORE"], results=False)


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
    """Redis needs nothing."""


SIDE = Side(prepare=prepare, enqueue=enqueue)
