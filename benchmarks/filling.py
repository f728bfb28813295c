"""Millions of rows in a minute: the database makes them itself, and indexes them afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from benchmarks.figure import Dialect
from benchmarks.sites import Site

CHUNK = 500_000
# Fewer rows than these cost less than making the indexes anew.
MANY = 200_000


def line_up(site: Site, jobs: int, say: Callable[[str], None], *, queues: int = 1) -> None:
    """Put jobs that do nothing in line, in so many queues."""
    with _indexed_afterwards(site, "windlass_jobs", jobs):
        for done in range(0, jobs, CHUNK):
            say(f"{done:,} of {jobs:,} jobs waiting")
            count = str(min(CHUNK, jobs - done))
            site.ask_file("line", count=count, before=str(done), queues=str(queues))


def finish(site: Site, jobs: int, say: Callable[[str], None]) -> None:
    """Put finished jobs into an empty history."""
    with _indexed_afterwards(site, "windlass_history", jobs):
        for done in range(0, jobs, CHUNK):
            say(f"{done:,} of {jobs:,} jobs in history")
            site.ask_file("finished", count=str(min(CHUNK, jobs - done)), before=str(done))


@contextmanager
def _indexed_afterwards(site: Site, table: str, rows: int) -> Iterator[None]:
    """Do without all indexes but the primary key while very many rows come."""
    indexes = site.ask_file("indexes", table=table) if rows > MANY else []
    for name, _ in indexes:
        site.ask(f"drop index {name}")
    yield
    # Sorting in memory instead of on disk makes it twice as quick.
    memory = "set maintenance_work_mem = '1GB';" if site.dialect is Dialect.POSTGRES else ""
    for _, made in indexes:
        site.ask(memory + made)
