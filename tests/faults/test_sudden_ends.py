"""Nodes that are asked to end, and killed before they have: inside a claim or a settlement."""

import asyncio
import random
import signal
import time
from collections.abc import Callable

import psycopg
import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.feeding import feeding
from tests.acceptance.fleet import Site
from tests.faults.dose import dose
from tests.waiting import until
from windlass.core.job import NewJob

KILLS = dose(short=3, full=300)
PATIENCE = 0.2  # seconds between the two signals, at most
NODES = 3  # that end and are replaced, side by side
SLOTS = 16
LEASE = 2.0  # seconds
JUDGES = dose(short=1, full=2)
# Each of them looks for the dead about once a second.
FREE_WITHIN = dose(short=20 * LEASE, full=LEASE + 1.0)
# What a process may have run already, without having been able to say so.
UNTOLD = SLOTS + 1_000

HELD = """
    select count(*)
      from windlass_jobs j
      join windlass_workers w on w.id = j.worker
      join windlass_nodes n on n.id = w.node
     where n.pid = %s
"""


@pytest.mark.timeout(dose(short=180, full=1_800))
async def test_nothing_is_lost_when_nodes_are_killed_while_they_end(
    postgres_site: Site, record_property: Callable[[str, object], None]
) -> None:
    site = postgres_site
    # Somebody has to see that the others are dead, and goes on.
    judges = [site.node(slots=2, lease=f"{LEASE}s") for _ in range(JUDGES)]
    await asyncio.gather(*(judge.ready() for judge in judges))

    async with feeding(site, jobs_of(site), per_second=dose(short=100, full=20)):
        ended = await asyncio.gather(*(lives(site, random.Random(seed)) for seed in range(NODES)))
    await site.all_finished()

    freed = [after for one in ended for after in one]
    repeats = len(site.ledger) - site.books.count_finished()
    record_property("kills", len(freed))
    record_property("jobs", site.books.count_finished())
    record_property("repeated starts", repeats)
    record_property("claims of the dead free after", f"{max(freed):.1f} s")
    assert site.audit() == Audit()
    assert repeats <= KILLS * UNTOLD
    assert max(freed) <= FREE_WITHIN


async def lives(site: Site, chance: random.Random) -> list[float]:
    """One node after the other, each with a sudden end; how long each left claims behind."""
    return [await life(site, chance) for _ in range(KILLS // NODES)]


async def life(site: Site, chance: random.Random) -> float:
    """Start a node and end it; answer with the seconds until nothing is held by it any more."""
    node = site.node(slots=SLOTS, lease=f"{LEASE}s")
    await node.ready()
    await until(lambda: begun_by(site, {worker.pid for worker in node.workers()}))
    node.signal(signal.SIGTERM)
    await asyncio.sleep(chance.uniform(0, PATIENCE))
    node.kill()
    killed = time.monotonic()
    with psycopg.connect(site.url, autocommit=True) as connection:
        await until(lambda: not held_by(connection, node.pid), at_most=60)
    return time.monotonic() - killed


def begun_by(site: Site, pids: set[int]) -> bool:
    """Whether one of the processes has begun a job lately."""
    return any(entry.pid in pids for entry in site.ledger.entries()[-200:])


def held_by(connection: psycopg.Connection, pid: int) -> int:
    """How many jobs are claimed by workers of this node."""
    [(count,)] = connection.execute(HELD, [pid]).fetchall()
    return int(count)


def jobs_of(site: Site) -> Callable[[int], NewJob]:
    """Effects and jobs that are settled in batches, so short that many end at any moment."""
    chance = random.Random(3)
    kinds = (site.works.effect, site.works.plain_effect, site.works.rest, site.works.rest)
    return lambda number: chance.choice(kinds).job(number, chance.uniform(0.0, 0.1))
