"""PostgreSQL fails over to its standby under load; a synchronous one has everything."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.books import Books
from tests.acceptance.fleet import open_site
from tests.faults.dose import dose
from tests.faults.failover import BACK_WITHIN, failover, pair
from tests.services import PostgresServer


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
        assert site.books.charges() == []
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
        assert site.books.charges() == []
