"""Keeps a fleet busy."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from itertools import count

from tests.acceptance.fleet import Site
from windlass.core.errors import StoreAway
from windlass.core.job import NewJob
from windlass.worker.background import background

BATCH = 50
BACKLOG = 400  # never so short that a worker runs dry


@asynccontextmanager
async def feeding(
    site: Site, make: Callable[[int], NewJob], per_second: float | None = None
) -> AsyncIterator[None]:
    """Ask for more and more jobs while the block runs, also while nobody answers.

    So many a second, or else as many as are done.
    """
    async with background(feed(site, make) if per_second is None else drip(site, make, per_second)):
        yield


async def feed(site: Site, make: Callable[[int], NewJob]) -> None:
    """Ask for a few whenever the line has become short."""
    numbers = count()
    while True:
        if len(site.accepted) - len(site.ledger) < BACKLOG:
            with suppress(StoreAway):  # then nobody knows whether they were taken
                await site.enqueue(*(make(next(numbers)) for _ in range(BATCH)))
        await asyncio.sleep(0.02)


async def drip(site: Site, make: Callable[[int], NewJob], per_second: float) -> None:
    """Ask for one after the other, at a steady pace."""
    now = asyncio.get_running_loop().time
    began = now()
    for number in count():
        await asyncio.sleep(began + number / per_second - now())
        with suppress(StoreAway):
            await site.enqueue(make(number))
