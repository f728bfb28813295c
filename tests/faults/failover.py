"""A primary and its standby, and a failover from one to the other under load."""

import asyncio
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from tests.acceptance.books import Books
from tests.acceptance.feeding import feeding
from tests.acceptance.fleet import Site
from tests.acceptance.test_outage import jobs_of, pids, recovery
from tests.faults.dose import dose
from tests.faults.slow import SlowLines
from tests.faults.standby import Standby, wait_for_standby
from tests.services import PostgresServer
from windlass.wiring import migrate

JOBS = dose(short=100, full=2_500)  # begun before the primary dies, and again after
RATE = 100  # jobs a second
IN_RECOVERY = dose(short=1.0, full=5.0)  # seconds in which the standby answers, and does not lead
BACK_WITHIN = dose(short=20.0, full=5.0)


class Pair(NamedTuple):
    """A primary, its standby, the lines to whoever leads, and those between the two of them."""

    primary: PostgresServer
    standby: Standby
    lines: SlowLines
    between: SlowLines


@asynccontextmanager
async def pair(primary: PostgresServer, *, behind: float) -> AsyncIterator[Pair]:
    """The two of them, with so many seconds of delay on the line between them."""
    await migrate(primary.url)
    lines = SlowLines(primary.url, random.Random(1))
    between = SlowLines(primary.url, random.Random(2))
    async with lines.open(), between.open():
        standby = Standby(primary, between.port if behind else primary.port)
        try:
            await asyncio.to_thread(standby.start)
            between.delay = behind
            wait_for_standby(primary, synchronous=not behind)
            yield Pair(primary, standby, lines, between)
        finally:
            await asyncio.to_thread(standby.close)


async def failover(both: Pair, site: Site) -> tuple[float, float]:
    """Let the primary die under load; tell when, and how soon every worker was back."""
    fleet = [site.node(processes=2, slots=8) for _ in range(2)]
    await asyncio.gather(*(node.ready(2) for node in fleet))
    workers = pids(fleet)
    async with feeding(site, jobs_of(site), per_second=RATE):
        await site.begun(JOBS, at_most=120)
        died = time.time()
        both.between.hang_up()  # what is on its way never arrives
        await asyncio.to_thread(both.primary.stop, "immediate")
        both.lines.lead_to(both.standby.url)
        site.books = Books(both.standby.url)
        await asyncio.sleep(IN_RECOVERY)
        await asyncio.to_thread(both.standby.promote)
        back = await recovery(site, workers)
        await site.begun(len(site.ledger) + JOBS, at_most=120)
    await site.all_finished()
    assert pids(fleet) == workers
    return died, back
