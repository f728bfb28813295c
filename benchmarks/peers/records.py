"""The records of a side's jobs, read while they are written."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from benchmarks.peers.record import RECORD, START

EVERY = 0.02
STALLED = 20.0  # seconds without a new record, after which no more is hoped for


class Record(NamedTuple):
    """One start or end of a job."""

    number: int
    kind: int
    enqueued: float
    at: float


class Records:
    """A growing file of them; jobs that only warm up do not count when they are read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.touch()

    def count(self) -> int:
        """How many there are by now, warm-up and all."""
        return self.path.stat().st_size // RECORD.size

    def read(self, since: int = 0) -> list[Record]:
        """All but the first `since`."""
        with self.path.open("rb") as file:
            file.seek(since * RECORD.size)
            content = file.read()
        whole = len(content) // RECORD.size * RECORD.size
        found = map(Record._make, RECORD.iter_unpack(content[:whole]))
        return [record for record in found if record.number >= 0]

    async def reach(self, count: int, check: Callable[[], None]) -> bool:
        """Wait until there are so many, or nothing has come for long; say which."""
        seen, moved = self.count(), time.monotonic()
        while seen < count:
            check()
            await asyncio.sleep(EVERY)
            now = self.count()
            if now != seen:
                seen, moved = now, time.monotonic()
            elif time.monotonic() - moved > STALLED:
                return False
        return True


def starts(records: Iterable[Record]) -> list[Record]:
    """Those that say that a job started, in the order of their time."""
    return sorted((one for one in records if one.kind == START), key=lambda one: one.at)


def fault(records: Iterable[Record], jobs: int, each: int = 1) -> str:
    """What is wrong, in words, if not each job started so many times; else nothing."""
    seen = Counter(record.number for record in records)
    missing = sum(seen[number] < each for number in range(jobs))
    doubled = sum(times > each for times in seen.values())
    told = []
    if missing:
        told.append(f"{missing:,} of {jobs:,} jobs did not run")
    if doubled:
        told.append(f"{doubled:,} of {jobs:,} jobs ran more than once")
    return ", ".join(told)
