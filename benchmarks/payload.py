"""The jobs that are measured: each does nothing, with arguments of about a hundred bytes."""

from __future__ import annotations

from collections.abc import Iterator

from windlass.clock import SystemChance
from windlass.core.job import NewJob
from windlass.store.base import Database
from windlass.store.enqueue import insert

PAYLOAD = '{"user":"ada@example.org","number":12345,"note":"' + "x" * 60 + '"}'
BATCH = 5_000


async def load(database: Database, type_: str, count: int) -> None:
    """Put jobs in line, by the statement that enqueue uses."""
    for batch in batches(type_, count, BATCH):
        await database.write(insert("enqueue", batch))


def batches(type_: str, count: int, size: int) -> Iterator[list[NewJob]]:
    """New jobs, so many at a time."""
    chance = SystemChance()
    for start in range(0, count, size):
        fill = min(size, count - start)
        yield [NewJob(chance.job_id(), type_, PAYLOAD) for _ in range(fill)]
