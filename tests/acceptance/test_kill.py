"""Nothing is lost, and no effect is doubled, when processes are killed."""

import asyncio
import random
from contextlib import suppress

import psutil
import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.fleet import Node, Site
from windlass.core.job import NewJob

JOBS = 10_000
KILLS = 20


@pytest.mark.timeout(300)
async def test_ten_thousand_effects_are_there_once_though_workers_are_killed_all_the_time(
    site: Site,
) -> None:
    chance = random.Random(1)
    await site.enqueue(*effects(site, chance))
    fleet = [start(site) for _ in range(3)]

    kills = 0
    while kills < KILLS:
        await asyncio.sleep(0.5)
        kills += kill_somebody(site, fleet, chance)
    unfinished = JOBS - site.books.count_finished()
    await site.all_finished()

    assert site.audit() == Audit()
    assert len(site.books.effects()) == JOBS
    assert unfinished  # or the last kills hit nobody


def effects(site: Site, chance: random.Random) -> list[NewJob]:
    """Jobs of 5 to 50 ms, one in four of them a plain function."""
    kinds = (site.works.effect, site.works.effect, site.works.effect, site.works.plain_effect)
    return [
        chance.choice(kinds).job(number=number, seconds=chance.uniform(0.005, 0.05))
        for number in range(JOBS)
    ]


def start(site: Site) -> Node:
    """A third of six workers. A lease so short that a dead node is found out during the test."""
    return site.node(processes=2, slots=4, lease="5s")


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
