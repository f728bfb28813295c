"""RQ on Redis: a pool of four workers that do not fork, no results."""
# /// script
# requires-python = ">=3.11"
# dependencies = ["rq==2.12.0", "redis==8.1.0", "hiredis==3.5.0"]
#
# [tool.side]
# name = "RQ"
# store = "redis"
# durable = false
# setup = "a pool of 4 SimpleWorkers (no fork for each job), no results"
# workers = 1
# worker = [
#   "{bin}/rq", "worker-pool", "bench", "-n", "4", "-w", "rq.worker.SimpleWorker",
#   "-c", "benchmarks.peers.sides.rq", "-q",
# ]
# slots = 4
# drain = 5_000
# ///

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from typing import Any

from redis import Redis
from rq import Queue, Retry, get_current_job

from benchmarks.peers import record
from benchmarks.peers.side import Side, payload

REDIS_URL = os.environ["SIDE_STORE"]  # the worker's settings are this module

queue = Queue("bench", connection=Redis.from_url(REDIS_URL))


def noop(i: int, t: float) -> None:
    record.started(i, t)


def nap(i: int, t: float, seconds: float) -> None:
    record.started(i, t)
    time.sleep(seconds)
    record.ended(i, t)


def stumble(i: int, t: float) -> None:
    record.started(i, t)
    if not get_current_job().number_of_retries:
        raise RuntimeError("stumbled")


KINDS = {"noop": noop, "nap": nap, "stumble": stumble}


def enqueue(kind: str, numbers: Iterable[int]) -> None:
    """One by one."""
    for number in numbers:
        queue.enqueue(KINDS[kind], **options(kind, number))


def enqueue_many(kind: str, numbers: Iterable[int]) -> None:
    """In one pipeline."""
    queue.enqueue_many(
        Queue.prepare_data(KINDS[kind], **options(kind, number)) for number in numbers
    )


def options(kind: str, number: int) -> dict[str, Any]:
    """The job's arguments, and what is kept of it: nothing."""
    made = {"kwargs": payload(kind, number), "result_ttl": 0, "description": kind}
    return {**made, "retry": Retry(max=1, interval=1)} if kind == "stumble" else made


def prepare() -> None:
    """Redis needs nothing."""


SIDE = Side(prepare=prepare, enqueue=enqueue, enqueue_many=enqueue_many)
