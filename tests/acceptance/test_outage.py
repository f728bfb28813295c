"""PostgreSQL comes and goes; the workers stay, and nothing is lost or doubled."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.feeding import feeding
from tests.acceptance.fleet import Node, Site, open_site
from tests.faults.dose import dose
from tests.services import PostgresServer
from tests.waiting import until
from windlass.core.errors import StoreAway
from windlass.core.job import NewJob
from windlass.wiring import migrate

OUTAGES = dose(short=4, full=30)
AWAY_FOR = dose(short=1.5, full=2.0)  # seconds, at most
BETWEEN = dose(short=(0.0, 0.0), full=(5.0, 15.0))  # seconds
RATE = dose(short=None, full=50)  # jobs a second; else as many as are done
RECOVERED_WITHIN = dose(short=30.0, full=3.0)
BURST = 8  # jobs at a time, until everybody has one
RECENT = 5_000


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """A PostgreSQL that the test may stop."""
    with PostgresServer() as server:
        yield server


@pytest.fixture
async def site(tmp_path: Path, server: PostgresServer) -> AsyncIterator[Site]:
    """A site that depends on it."""
    await migrate(server.url)
    async with open_site(tmp_path, server.url) as site:
        yield site


@pytest.mark.timeout(dose(short=180, full=900))
async def test_workers_outlive_crashes_of_postgresql_and_lose_and_double_nothing(
    site: Site, server: PostgresServer, record_property: Callable[[str, object], None]
) -> None:
    chance = random.Random(8)
    fleet = [site.node(processes=2, slots=8) for _ in range(2)]
    for node in fleet:
        await node.ready(2)
    workers = pids(fleet)

    recoveries = []
    async with feeding(site, jobs_of(site), per_second=RATE):
        for _ in range(OUTAGES):
            await site.begun(len(site.ledger) + 100)
            await asyncio.sleep(chance.uniform(*BETWEEN))
            await asyncio.to_thread(server.stop, "immediate")
            await asyncio.sleep(chance.uniform(0, AWAY_FOR))
            await asyncio.to_thread(server.start)
            recoveries.append(await recovery(site, workers))
    await site.all_finished()

    record_property("crashes", OUTAGES)
    record_property("jobs", site.books.count_finished())
    record_property("slowest recovery", f"{max(recoveries):.2f} s")
    assert site.audit() == Audit()
    assert pids(fleet) == workers
    assert max(recoveries) <= RECOVERED_WITHIN
    assert {job.failures for job in site.books.finished()} == {0}


def jobs_of(site: Site) -> Callable[[int], NewJob]:
    """Effects of 5 to 50 ms, and jobs that are settled in batches."""
    chance = random.Random(5)
    kinds = (site.works.effect, site.works.plain_effect, site.works.rest)
    return lambda number: chance.choice(kinds).job(number, chance.uniform(0.005, 0.05))


def pids(fleet: list[Node]) -> set[int]:
    """The processes that work."""
    return {worker.pid for node in fleet for worker in node.workers()}


async def recovery(site: Site, workers: set[int]) -> float:
    """Seconds from now until the last of the workers begins a job; there are enough for all."""
    began = time.time()

    async def all_at_work() -> bool:
        with suppress(StoreAway):
            await site.enqueue(*(site.works.rest.job(number, 0.2) for number in range(BURST)))
        recent = {entry.pid for entry in site.ledger.entries()[-RECENT:] if entry.at > began}
        return workers <= recent

    await until(all_at_work, at_most=60)
    return time.time() - began
