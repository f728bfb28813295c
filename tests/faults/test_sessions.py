"""Sessions of workers end under them, wherever they are; nothing is lost or doubled."""

import asyncio
import random
import time
from collections.abc import Callable

import psycopg
import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.feeding import feeding
from tests.acceptance.fleet import Site
from tests.faults.dose import dose
from windlass.core.job import NewJob

SECONDS = dose(short=3.0, full=60.0)
PAUSE = 0.1

END_ONE = """
    select pg_terminate_backend(pid)
      from (select pid
              from pg_stat_activity
             where datname = current_database() and pid <> pg_backend_pid()
             order by random()
             limit 1) somebody
"""


@pytest.mark.timeout(dose(short=120, full=600))
async def test_nothing_is_lost_or_doubled_when_sessions_are_ended_all_the_time(
    postgres_site: Site, record_property: Callable[[str, object], None]
) -> None:
    site = postgres_site
    fleet = [site.node(processes=2, slots=8) for _ in range(2)]
    await asyncio.gather(*(node.ready(2) for node in fleet))

    async with feeding(site, jobs_of(site), per_second=dose(short=200, full=85)):
        await site.begun(50)
        ended = await asyncio.to_thread(end_sessions, site.url)
    await site.all_finished()

    record_property("sessions ended", ended)
    record_property("jobs", site.books.count_finished())
    record_property("repeated starts", len(site.ledger) - site.books.count_finished())
    assert site.audit() == Audit()
    assert site.books.charges() == []
    assert ended >= SECONDS / PAUSE / 2


def end_sessions(url: str) -> int:
    """End ten sessions a second, of nodes and of callers; answer with how many that were."""
    ends, ended = time.monotonic() + SECONDS, 0
    with psycopg.connect(url, autocommit=True) as connection:
        while time.monotonic() < ends:
            ended += len(connection.execute(END_ONE).fetchall())
            time.sleep(PAUSE)
    return ended


def jobs_of(site: Site) -> Callable[[int], NewJob]:
    """Effects of 5 to 50 ms, and jobs that are settled in batches."""
    chance = random.Random(5)
    kinds = (site.works.effect, site.works.plain_effect, site.works.rest)
    return lambda number: chance.choice(kinds).job(number, chance.uniform(0.005, 0.05))
