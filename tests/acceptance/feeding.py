"""Keeps a fleet busy."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from itertools import count

from tests.acceptance.fleet import Site
from windlass.core.errors import StoreAway
from windlass.core.job import NewJob

BATCH = 50
BACKLOG = 400  # never so short that a worker runs dry


@asynccontextmanager
async def feeding(site: Site, make: Callable[[int], NewJob]) -> AsyncIterator[None]:
    """Ask for more and more jobs while the block runs, also while nobody answers."""
    task = asyncio.create_task(feed(site, make))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
    if not task.cancelled():
        task.result()


async def feed(site: Site, make: Callable[[int], NewJob]) -> None:
    """Ask for a few whenever the line has become short."""
    numbers = count()
    while True:
        if len(site.accepted) - len(site.ledger) < BACKLOG:
            with suppress(StoreAway):  # then nobody knows whether they were taken
                await site.enqueue(*(make(next(numbers)) for _ in range(BATCH)))
        await asyncio.sleep(0.02)
