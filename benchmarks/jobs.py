"""The jobs that are measured: they do nothing, but for one that says when it was begun."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.steps import trace
from windlass import NewJob, Windlass
from windlass.config import load as load_settings
from windlass.store.base import Database
from windlass.store.enqueue import insert

BATCH = 5_000


class Jobs:
    """An app with these jobs, at a store's address or where the environment says."""

    def __init__(self, url: str | None = None, redis: str | None = None) -> None:
        given = {"store": url, "redis": redis}
        self.app = Windlass(settings=load_settings(os.environ, Path.cwd(), given))
        self.nothing = self.app.job(nothing)
        self.nothing_plain = self.app.job(nothing_plain)
        self.stamp = self.app.job(stamp)
        self.trace = self.app.job(trace)

    def batches(
        self, count: int, size: int = BATCH, *, plain: bool = False
    ) -> Iterator[list[NewJob]]:
        """New jobs that do nothing, so many at a time; their payload is about a hundred bytes."""
        kind = self.nothing_plain if plain else self.nothing
        note = "x" * 60
        for start in range(0, count, size):
            numbers = range(start, min(start + size, count))
            yield [kind.job(user="ada@example.org", number=n, note=note) for n in numbers]


def submission(number: int = 0) -> dict[str, Any]:
    """A job that does nothing, as it is asked for over HTTP."""
    payload = {"user": "ada@example.org", "number": number, "note": "x" * 60}
    return {"type": "nothing", "payload": payload}


async def load(database: Database, count: int, *, plain: bool = False) -> None:
    """Put jobs that do nothing in line, by the statement that enqueue uses."""
    for batch in Jobs().batches(count, plain=plain):
        await database.write(insert(batch))


async def nothing(user: str, number: int, note: str) -> None:
    """Do nothing on the event loop."""


def nothing_plain(user: str, number: int, note: str) -> None:
    """Do nothing in a thread."""


async def stamp(at: float) -> float:
    """Say how long it is since `at`, a moment of a clock that all processes here share."""
    return time.monotonic() - at
