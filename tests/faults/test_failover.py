"""PostgreSQL fails over to its standby under load; a synchronous one has everything."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.books import Books
from tests.acceptance.feeding import feeding
from tests.acceptance.fleet import Site, open_site
from tests.acceptance.test_outage import jobs_of, pids, recovery
from tests.faults.dose import dose
from tests.faults.slow import SlowLines
from tests.faults.standby import Standby, wait_for_standby
from tests.services import PostgresServer
from windlass.wiring import migrate

JOBS = dose(short=150, full=2_500)  # begun before the primary dies, and again after
RATE = dose(short=100, full=100)  # jobs a second
BEHIND = 0.3  # seconds that an asynchronous standby is behind
IN_RECOVERY = dose(short=1.0, full=5.0)  # seconds in which the standby answers, and does not lead
BACK_WITHIN = dose(short=20.0, full=5.0)


class Pair(NamedTuple):
    """A primary, its standby, the lines to whoever leads, and those between the two of them."""

    primary: PostgresServer
    standby: Standby
    lines: SlowLines
    between: SlowLines


@pytest.fixture
def primary() -> Iterator[PostgresServer]:
    """A PostgreSQL that will die."""
    with PostgresServer() as server:
        yield server


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


@pytest.mark.timeout(dose(short=180, full=600))
async def test_nothing_is_lost_when_a_synchronous_standby_takes_over(
    primary: PostgresServer, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    async with (
        pair(primary, behind=0) as both,
        open_site(tmp_path, both.lines.url, Books(primary.url)) as site,
    ):
        _, back = await failover(both, site)

        record_property("jobs", site.books.count_finished())
        record_property("lost", len(site.audit().lost))
        record_property("every worker back after", f"{back:.2f} s")
        assert site.audit() == Audit()
        assert {job.failures for job in site.books.finished()} == {0}
        assert back <= BACK_WITHIN


@pytest.mark.timeout(dose(short=180, full=600))
async def test_what_an_asynchronous_standby_loses_is_what_it_was_behind(
    primary: PostgresServer, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    async with (
        pair(primary, behind=BEHIND) as both,
        open_site(tmp_path, both.lines.url, Books(primary.url)) as site,
    ):
        died, back = await failover(both, site)

        lost = site.audit().lost
        window = max((died - made_at(job) for job in lost), default=0.0)
        record_property("jobs", site.books.count_finished())
        record_property("lost", len(lost))
        record_property("loss window", f"{window:.2f} s, {BEHIND} s behind")
        assert window <= BEHIND + dose(short=2.0, full=0.2)
        assert not site.audit().overdone
        assert not site.audit().doubled
        assert {job.failures for job in site.books.finished()} == {0}
        assert back <= BACK_WITHIN


@pytest.mark.timeout(120)
async def test_who_was_led_to_a_standby_finds_the_way_back(
    primary: PostgresServer, tmp_path: Path
) -> None:
    async with (
        pair(primary, behind=0) as both,
        open_site(tmp_path, both.lines.url, Books(primary.url)) as site,
    ):
        gate = site.folder / "gate"
        await site.node().ready()
        kinds = (site.works.gated_effect, site.works.gated_isolated_effect)
        await site.enqueue(*(kinds[number % 2].job(number, str(gate)) for number in range(6)))
        await site.begun(6)

        both.lines.lead_to(both.standby.url)
        both.lines.hang_up()
        gate.touch()
        await asyncio.sleep(2)
        both.lines.lead_to(primary.url)  # whoever is connected to the standby stays so
        await site.all_finished()

        assert site.audit() == Audit()
        assert {job.failures for job in site.books.finished()} == {0}


def made_at(job: str) -> float:
    """When an id was made, which it says itself, in seconds since 1970."""
    return (UUID(job).int >> 80) / 1000
