"""Poison costs a fleet a little of its throughput, and nobody else's job."""

import asyncio
import random
import time
from collections.abc import Callable

import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.fleet import Site
from tests.waiting import until
from windlass.core.job import NewJob

JOBS = 3_000
KEPT = 0.7  # of the throughput without poison


@pytest.mark.timeout(900)
async def test_a_fleet_with_poison_keeps_most_of_its_throughput(
    postgres_site: Site, record_property: Callable[[str, object], None]
) -> None:
    site, works = postgres_site, postgres_site.works
    fleet = [site.node(processes=2, slots=8) for _ in range(2)]
    await asyncio.gather(*(node.ready(2) for node in fleet))
    healthy = await seconds_for(site, [], range(JOBS))

    poison = [works.leave.job(-1), works.devour.job(-2), works.stumble.job(-3)]
    site.doomed = {job.id for job in poison}
    poisoned = await seconds_for(site, poison, range(JOBS, 2 * JOBS))
    await site.all_finished(stalled=60)

    record_property("without poison", f"{JOBS / healthy:.0f} jobs a second")
    record_property("with poison", f"{JOBS / poisoned:.0f} jobs a second")
    record_property("kept", f"{healthy / poisoned:.0%}")
    assert site.audit() == Audit()
    assert healthy / poisoned >= KEPT


async def seconds_for(site: Site, poison: list[NewJob], numbers: range) -> float:
    """How long all innocent jobs take, with the poison somewhere among them."""
    chance, over = random.Random(4), site.books.count_finished()
    innocent = [site.works.rest.job(number, 0.1) for number in numbers]
    jobs = [*innocent, *poison]
    chance.shuffle(jobs)
    began = time.monotonic()
    await site.enqueue(*jobs)

    async def through() -> bool:
        await asyncio.sleep(0.1)
        return site.books.count_finished() >= over + len(innocent)

    await until(through, at_most=600)
    return time.monotonic() - began
