"""A database host that dies without a word: its address answers again, its lines never do."""

import asyncio
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.feeding import feeding
from tests.acceptance.fleet import open_site
from tests.acceptance.test_outage import pids, recovery
from tests.faults.slow import SlowLines

JOBS = 2_000
RATE = 50  # jobs a second
# A statement is given up after 10 s, and those of handlers after 30 s.
BACK_WITHIN = 15.0


@pytest.mark.timeout(600)
async def test_nobody_waits_for_ever_for_a_server_that_vanished(
    postgres_url: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    lines = SlowLines(postgres_url, random.Random(1))
    async with lines.open(), open_site(tmp_path, postgres_url) as site:
        kinds = (site.works.effect, site.works.rest)
        fleet = [site.node(store=lines.url, processes=2, slots=8) for _ in range(2)]
        await asyncio.gather(*(node.ready(2) for node in fleet))
        workers = pids(fleet)

        async with feeding(site, lambda number: kinds[number % 2].job(number, 0.02), RATE):
            await site.begun(JOBS // 2, at_most=120)
            dead, died = lines.half_open(all_calls=True), time.monotonic()
            await recovery(site, workers)
            back = time.monotonic() - died
            await site.begun(JOBS, at_most=120)
        await site.all_finished(stalled=60)

        record_property("lines that were dead", dead)
        record_property("every worker back after", f"{back:.1f} s")
        for name, count in site.account()._asdict().items():
            record_property(name, count)
        assert site.audit() == Audit()
        assert site.books.charges() == []
        assert pids(fleet) == workers
        assert back <= BACK_WITHIN
