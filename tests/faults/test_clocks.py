"""Clocks that are wrong change nothing: only the database's decides, and it may be set back."""

import asyncio
import random
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import psycopg
import pytest
import uuid_utils

from tests.acceptance.audit import Audit
from tests.acceptance.fleet import ROOT, Node, Site, Start
from tests.faults.dose import dose
from windlass.core.job import JobId, NewJob

HOUR, DAY = 3_600, 86_400
CLOCKS = (f"{HOUR},1", f"{-HOUR},1", f"{DAY},1", "0,2")  # seconds, and pace
JOBS = dose(short=80, full=1_000)
LATER = dose(short=40, full=500)  # of them scheduled
LONGEST = dose(short=2.0, full=10.0)  # seconds ahead
LEASE = dose(short=5.0, full=2.0)  # seconds
STEP = 30  # seconds that the database's clock is set back

SET_BACK = f"""
    create or replace function windlass_now() returns timestamptz
        language sql volatile
        as 'select clock_timestamp() - interval ''{STEP} seconds'''
"""
LONGEST_LEASE = "select max(extract(epoch from lease_until - windlass_now())) from windlass_nodes"


@pytest.mark.timeout(dose(short=120, full=600))
async def test_clocks_of_workers_and_callers_that_are_wrong_change_nothing(
    postgres_site: Site, record_property: Callable[[str, object], None]
) -> None:
    site = postgres_site
    fleet = [site.node(start=with_clock(clock), slots=10, lease="5s") for clock in CLOCKS]
    await asyncio.gather(*(node.ready() for node in fleet))

    for job in mixed(site):
        await site.enqueue(job)
    await site.all_finished()

    waits = await lateness(site)
    rescues = [line for node in fleet for line in node.said("jobs reclaimed")]
    record_property("clocks", "; ".join(CLOCKS))
    record_property("earliest start", f"{min(waits):.3f} s after its time")
    record_property("latest start", f"{max(waits):.2f} s after its time")
    record_property("false rescues", len(rescues))
    assert site.audit() == Audit()
    assert min(waits) >= 0
    assert rescues == []
    assert len({entry.pid for entry in site.ledger.entries()}) == len(CLOCKS)
    assert [round(error(node) / HOUR) for node in fleet] == [1, -1, 24, 0]  # or it is no feat


@pytest.mark.timeout(dose(short=120, full=600))
async def test_a_database_whose_clock_is_set_back_keeps_every_lease_short(
    postgres_site: Site, record_property: Callable[[str, object], None]
) -> None:
    site = postgres_site
    fleet = [site.node(slots=10, lease=f"{LEASE}s") for _ in range(2)]
    await asyncio.gather(*(node.ready() for node in fleet))
    await site.enqueue(*(site.works.effect.job(number, 0.1) for number in range(JOBS)))
    await site.begun(JOBS // 4)

    with psycopg.connect(site.url, autocommit=True) as connection:
        connection.execute(SET_BACK.encode())
        await asyncio.sleep(2.0)  # in which every lease is renewed
        [(lease,)] = connection.execute(LONGEST_LEASE).fetchall()
    later = [
        site.works.rest.options(delay=0.5 + number / 20).job(JOBS + number, 0)
        for number in range(20)
    ]
    await site.enqueue(*later)
    await site.all_finished()

    waits = [wait - STEP for wait in await lateness(site, later)]
    rescues = [line for node in fleet for line in node.said("jobs reclaimed")]
    record_property("set back by", f"{STEP} s")
    record_property("longest lease afterwards", f"{lease:.1f} s of {LEASE} s")
    record_property("earliest start", f"{min(waits):.3f} s after its time")
    record_property("false rescues", len(rescues))
    assert site.audit() == Audit()
    assert lease <= 2 * LEASE
    assert min(waits) >= 0
    assert rescues == []


def with_clock(clock: str) -> Start:
    """A start with a clock that is wrong by so much."""
    here = Path(__file__).parent / "wrong_clock"
    return Start(environ={"PYTHONPATH": f"{here}:{ROOT / 'src'}:{ROOT}", "WRONG_CLOCK": clock})


def error(node: Node) -> float:
    """How wrong the clock of the node's worker is, by what it writes into its log, in seconds."""
    [said] = node.said("worker started")
    return datetime.fromisoformat(said["time"]).timestamp() - time.time()


def mixed(site: Site) -> list[NewJob]:
    """Jobs for now and for later, with ids that callers with a wrong clock would make."""
    chance = random.Random(2)
    now = [site.works.effect.job(number, 0.02) for number in range(JOBS - LATER)]
    later = [
        site.works.rest.options(delay=chance.uniform(0.2, LONGEST)).job(JOBS + number, 0.02)
        for number in range(LATER)
    ]
    jobs = [
        job._replace(id=made_at(chance.choice((0, HOUR, -HOUR, DAY)))) for job in (*now, *later)
    ]
    chance.shuffle(jobs)
    return jobs


def made_at(offset: int) -> JobId:
    """An id as made by somebody whose clock is wrong by so many seconds."""
    return JobId(str(uuid_utils.uuid7(nanoseconds=time.time_ns() + offset * 10**9)))


async def lateness(site: Site, jobs: list[NewJob] | None = None) -> list[float]:
    """How long after its time each job started, by true clocks, in seconds."""
    wanted = {job.id for job in jobs} if jobs is not None else site.accepted
    started = {entry.job: entry.at for entry in site.ledger.entries()}
    due = {id_: (await site.app.get(id_)).run_at.timestamp() for id_ in wanted}
    return [started[id_] - at for id_, at in due.items()]
