"""Dramatiq on Redis: two processes of two threads, far prefetch."""
# /// script
# requires-python = ">=3.11"
# dependencies = ["dramatiq==2.2.1", "redis==8.1.0", "hiredis==3.5.0"]
#
# [tool.side]
# name = "Dramatiq"
# store = "redis"
# durable = false
# setup = "2 processes of 2 threads, prefetch 500"
# workers = 1
# worker = [
#   "{bin}/dramatiq", "benchmarks.peers.sides.dramatiq", "-p", "2", "-t", "2", "--skip-logging",
# ]
# slots = 4
# drain = 80_000
# [tool.side.env]
# dramatiq_queue_prefetch = "500"
# ///

from __future__ import annotations

import os
import time
from collections.abc import Iterable

import dramatiq
from dramatiq.brokers.redis import RedisBroker
from dramatiq.middleware import CurrentMessage

from benchmarks.peers import record
from benchmarks.peers.side import Side, payload

broker = RedisBroker(url=os.environ["SIDE_STORE"])
broker.add_middleware(CurrentMessage())
dramatiq.set_broker(broker)


@dramatiq.actor
def noop(i: int, t: float) -> None:
    record.started(i, t)


@dramatiq.actor
def nap(i: int, t: float, seconds: float) -> None:
    record.started(i, t)
    time.sleep(seconds)
    record.ended(i, t)


@dramatiq.actor
def stumble(i: int, t: float) -> None:
    record.started(i, t)
    if not CurrentMessage.get_current_message().options.get("retries"):
        # The backoff of an actor has chance in it; this delay has none.
        raise dramatiq.Retry(delay=1_000)


KINDS = {"noop": noop, "nap": nap, "stumble": stumble}


def enqueue(kind: str, numbers: Iterable[int]) -> None:
    """Dramatiq has no bulk call, and no coroutines to enqueue with."""
    actor = KINDS[kind]
    for number in numbers:
        actor.send(**payload(kind, number))


def prepare() -> None:
    """Redis needs nothing."""


SIDE = Side(prepare=prepare, enqueue=enqueue)
