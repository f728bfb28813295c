"""Celery on Redis: two solo workers, JSON, no results."""
# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "celery==5.7.0", "kombu==5.7.0", "redis==8.1.0", "hiredis==3.5.0", "packaging==26.3",
# ]
#
# [tool.side]
# name = "Celery"
# store = "redis"
# durable = false
# setup = "2 solo workers, JSON, no results, no events, no gossip"
# workers = 2
# worker = [
#   "{bin}/celery", "-A", "benchmarks.peers.sides.celery", "worker",
#   "-P", "solo", "-n", "worker{number}@%h", "-l", "WARNING",
#   "--without-gossip", "--without-mingle", "--without-heartbeat",
# ]
# slots = 2
# drain = 20_000
# ///

from __future__ import annotations

import os
import time
from collections.abc import Iterable

from celery import Celery, Task

from benchmarks.peers import record
from benchmarks.peers.side import Side, payload

app = Celery("bench", broker=os.environ["SIDE_STORE"])
app.conf.update(
    task_ignore_result=True,
    worker_disable_rate_limits=True,
)


@app.task
def noop(i: int, t: float) -> None:
    record.started(i, t)


@app.task
def nap(i: int, t: float, seconds: float) -> None:
    record.started(i, t)
    time.sleep(seconds)
    record.ended(i, t)


@app.task(bind=True)
def stumble(self: Task, i: int, t: float) -> None:
    record.started(i, t)
    if self.request.retries == 0:
        raise self.retry(countdown=1)


KINDS = {"noop": noop, "nap": nap, "stumble": stumble}


def enqueue(kind: str, numbers: Iterable[int]) -> None:
    """Celery has no bulk call, and no coroutines; one producer for all saves a search for it."""
    task = KINDS[kind]
    with app.producer_or_acquire() as producer:
        for number in numbers:
            task.apply_async(kwargs=payload(kind, number), producer=producer)


def prepare() -> None:
    """Redis needs nothing."""


SIDE = Side(prepare=prepare, enqueue=enqueue)
