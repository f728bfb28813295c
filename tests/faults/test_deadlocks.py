"""Everybody changes the same rows at once, each in an order of its own; none waits in a circle."""

import asyncio
import os
import random
from collections.abc import Awaitable, Callable
from pathlib import Path

import psycopg
import pytest

from tests.embedded import Fleet
from tests.faults.dose import dose
from windlass.clock import SystemChance, SystemClock
from windlass.config import load
from windlass.core.backoff import Backoff
from windlass.core.claim import Claim
from windlass.core.job import JobId, NewJob
from windlass.core.outcome import Crashed, Done, Ending, Failed, HandedBack
from windlass.core.settle import Settlement, settle
from windlass.store.records import Gone, Orphan
from windlass.store.sql_store import SqlStore
from windlass.wiring import Storehouse

ROWS = 500
SECONDS = dose(short=3.0, full=60.0)
SOON = Backoff(base=0.01)
ENDINGS: tuple[Ending, ...] = (Done(), Failed("no"), HandedBack(), Failed("no", final=True))


class Crowd:
    """Those who change the rows; each speaks to the database by itself."""

    def __init__(self, rows: list[JobId]) -> None:
        self.rows = rows
        self.turns = 0
        self._chance = random.Random(5)

    async def work(self, store: SqlStore) -> None:
        """Claim, and end the attempts in any order and any way; or die with all of them."""
        fleet = Fleet(store)
        node = await fleet.node()
        worker = await fleet.worker(node, "mail")
        while True:
            claims = await fleet.claim(node, worker, "mail")
            self._chance.shuffle(claims)
            if self._chance.random() < 0.2:
                await store.dismiss([worker])
                worker = await fleet.worker(node, "mail")
            else:
                await store.settle([self._end(claim) for claim in claims])
            await self._turn()

    async def reclaim(self, store: SqlStore) -> None:
        """Take from the dead."""
        while True:
            await store.reclaim(died, 100, Gone(await store.lapsed()))
            await store.promote(100)
            await self._turn()

    async def cancel(self, store: SqlStore) -> None:
        """Cancel some, in any order."""
        while True:
            await store.cancel(self._some())
            await self._turn()

    async def retry(self, store: SqlStore) -> None:
        """Put some back in line, in any order."""
        while True:
            await store.retry(self._some())
            await self._turn()

    async def pause(self, store: SqlStore) -> None:
        """Close the queue, and open it again."""
        while True:
            await store.pause("default", by="ada")
            await store.park(200)
            await store.resume("default")
            await store.unpark(200)
            await self._turn()

    def _end(self, claim: Claim) -> Settlement:
        ending = self._chance.choice(ENDINGS)
        now = SystemClock().monotonic()
        return settle(claim, ending, backoff=SOON, chance=0.0, started=now, ended=now)

    def _some(self) -> list[JobId]:
        return self._chance.sample(self.rows, 100)

    async def _turn(self) -> None:
        self.turns += 1
        await asyncio.sleep(0.001)


def died(orphan: Orphan) -> Settlement:
    return settle(orphan.claim, Crashed(alone=False), backoff=SOON, chance=0.0)


@pytest.mark.timeout(180)
async def test_no_circle_of_waiting_forms(
    postgres_url: str, record_property: Callable[[str, object], None]
) -> None:
    house = Storehouse(load(os.environ, Path.cwd(), {"store": postgres_url}))
    stores = [await house.store() for _ in range(7)]
    rows = [NewJob(SystemChance().job_id(), "mail", "{}") for _ in range(ROWS)]
    await stores[0].enqueue(rows)
    crowd = Crowd([row.id for row in rows])
    acts = (
        crowd.work,
        crowd.work,
        crowd.work,
        crowd.reclaim,
        crowd.cancel,
        crowd.retry,
        crowd.pause,
    )

    heard = await until_tired([act(store) for act, store in zip(acts, stores, strict=True)])

    counts = await stores[0].counts()
    for store in stores:
        await store.close()
    circles = deadlocks(postgres_url)
    record_property("turns", crowd.turns)
    record_property("deadlocks", circles)
    assert heard == []
    assert circles == 0
    assert sum(counts.states.values()) == ROWS
    assert crowd.turns > 20 * SECONDS


async def until_tired(acts: list[Awaitable[None]]) -> list[BaseException]:
    """Have all of them go on for a while; what any of them raised."""
    tasks = [asyncio.ensure_future(act) for act in acts]
    ended, _ = await asyncio.wait(tasks, timeout=SECONDS, return_when=asyncio.FIRST_EXCEPTION)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    return [error for task in ended if (error := task.exception()) is not None]


def deadlocks(url: str) -> int:
    """How many circles the server had to break."""
    with psycopg.connect(url) as connection:
        asked = "select deadlocks from pg_stat_database where datname = current_database()"
        [circles] = connection.execute(asked).fetchone() or [0]
    return int(circles)
