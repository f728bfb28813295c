"""What can befall a Redis: killed, frozen, emptied, too small, refusing."""

import random
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from os import kill

import redis

from tests.services.redis import RedisServer

FROZEN_FOR = 0.4
AWAY_FOR = 0.3
# Less than a Valkey takes for itself: with some policies everything is evicted at once, with the
# one that is the default every write is refused.
TINY = "1mb"


def end(server: RedisServer, over: threading.Event) -> None:
    """Kill it, and start it again with nothing in it."""
    server.end_with(signal.SIGKILL)
    over.wait(AWAY_FOR)
    server.start()


def freeze(server: RedisServer, over: threading.Event) -> None:
    """Let it answer nobody for a while, and then whatever has piled up."""
    kill(server.pid, signal.SIGSTOP)
    over.wait(FROZEN_FOR)
    kill(server.pid, signal.SIGCONT)


def empty(server: RedisServer, over: threading.Event) -> None:
    """Flush it, again and again."""
    with redis.Redis.from_url(server.url) as client:
        for _ in range(20):
            client.flushall()
            if over.wait(0.01):
                return


def evict(server: RedisServer, over: threading.Event) -> None:
    """Have it throw away what it was given a moment ago."""
    _squeeze(server, over, "allkeys-random")


def refuse(server: RedisServer, over: threading.Event) -> None:
    """Have it refuse whatever takes memory."""
    _squeeze(server, over, "noeviction")


HARMS = (end, freeze, empty, evict, refuse)


def _squeeze(server: RedisServer, over: threading.Event, policy: str) -> None:
    with redis.Redis.from_url(server.url) as client:
        client.config_set("maxmemory-policy", policy)
        client.config_set("maxmemory", TINY)
        over.wait(FROZEN_FOR)
        client.config_set("maxmemory", "0")


@contextmanager
def harmed(
    server: RedisServer, *harms: Callable[[RedisServer, threading.Event], None], pause: float = 0.4
) -> Iterator[None]:
    """Have one harm after the other befall the server while the block runs."""
    over = threading.Event()

    def go_on() -> None:
        chance = random.Random(7)
        while not over.wait(pause * chance.uniform(0.5, 1.5)):
            with suppress(redis.RedisError):
                chance.choice(harms)(server, over)

    thread = threading.Thread(target=go_on, name="mischief")
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
