"""PostgreSQL behind a PgBouncer in transaction mode: no statement relies on a session."""

import asyncio
import os
from pathlib import Path

import pytest

from tests.embedded import Fleet
from windlass.clock import SystemClock
from windlass.config import load
from windlass.core.job import State
from windlass.core.settle import done
from windlass.wiring import Storehouse


@pytest.mark.anyio
async def test_jobs_live_their_whole_life_through_a_pooler_that_shares_connections(
    pgbouncer_url: str,
) -> None:
    given = {"store": pgbouncer_url, "pgbouncer": True}
    house = Storehouse(load(os.environ, Path.cwd(), given))
    stores = [await house.store() for _ in range(4)]
    fleets = [Fleet(store) for store in stores]
    node = await fleets[0].node()
    workers = [await fleet.worker(node, "mail") for fleet in fleets]

    async def live(fleet: Fleet, worker: int) -> int:
        for _ in range(25):
            await fleet.job("mail")
        claims = await fleet.claim(node, workers[worker], "mail")
        ended = SystemClock().monotonic()
        refused = await fleet.store.settle([done(claim, "1", ended, ended) for claim in claims])
        assert refused == []
        return len(claims)

    ran = sum(await asyncio.gather(*(live(fleet, n) for n, fleet in enumerate(fleets))))

    counts = await stores[0].counts()
    assert counts[State.COMPLETED] == ran
    assert counts[State.PENDING] == 100 - ran
    for store in stores:
        await store.close()
