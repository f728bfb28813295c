"""Nothing is lost, and no effect is doubled, when processes are killed."""

import asyncio
import random
import time
from collections.abc import Callable
from contextlib import suppress

import psutil
import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.fleet import Node, Site
from tests.faults.dose import dose
from windlass.core.job import NewJob

JOBS = 10_000
KILLS = dose(short=12, full=120)
LONGEST = dose(short=0.05, full=2.0)  # seconds of a job
SLOTS = dose(short=3, full=8)
# What a process may have run already, without having been able to say so.
UNTOLD = SLOTS + 1_000
OVER_WITHIN = 30.0


@pytest.mark.timeout(dose(short=300, full=900))
async def test_ten_thousand_effects_are_there_once_though_workers_are_killed_all_the_time(
    site: Site, record_property: Callable[[str, object], None]
) -> None:
    chance = random.Random(1)
    await site.enqueue(*effects(site, chance))
    fleet = [start(site) for _ in range(3)]

    kills = 0
    while kills < KILLS:
        await asyncio.sleep(0.5)
        kills += kill_somebody(site, fleet, chance)
    unfinished, ended = JOBS - site.books.count_finished(), time.monotonic()
    await site.all_finished()
    over = time.monotonic() - ended

    repeats = len(site.ledger) - JOBS
    record_property("kills", kills)
    record_property("repeated starts", repeats)
    record_property("over after the last kill", f"{over:.1f} s")
    assert site.audit() == Audit()
    assert len(site.books.effects()) == JOBS
    assert unfinished  # or the last kills hit nobody
    assert repeats <= kills * UNTOLD
    assert dose(short=True, full=over <= OVER_WITHIN)


def effects(site: Site, chance: random.Random) -> list[NewJob]:
    """Jobs from 5 ms, most of them short, one in four of them a plain function."""
    kinds = (site.works.effect, site.works.effect, site.works.effect, site.works.plain_effect)
    return [
        chance.choice(kinds).job(
            number=number, seconds=0.005 * (LONGEST / 0.005) ** chance.random()
        )
        for number in range(JOBS)
    ]


def start(site: Site) -> Node:
    """A third of six workers. A lease so short that a dead node is found out during the test."""
    return site.node(processes=2, slots=SLOTS, lease="5s")


def kill_somebody(site: Site, fleet: list[Node], chance: random.Random) -> int:
    """Kill a worker, or one time in ten a whole node, which is replaced at once."""
    node = chance.choice(fleet)
    if chance.random() < 0.1:
        node.kill()
        fleet[fleet.index(node)] = start(site)
        return 1
    workers = node.working()
    if workers:
        with suppress(psutil.NoSuchProcess):
            chance.choice(workers).kill()
            return 1
    return 0
