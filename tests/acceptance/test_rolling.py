"""Nodes that are asked to stop finish what they began, and leave nothing behind."""

import random
import signal
from collections.abc import Callable

import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.feeding import feeding
from tests.acceptance.fleet import Node, Site
from tests.faults.dose import dose
from windlass.core.job import NewJob

ROUNDS = dose(short=2, full=5)
NODES = dose(short=2, full=6)
RATE = dose(short=150, full=None)  # jobs a second; else as many as are done
LONGEST = dose(short=0.3, full=3.0)  # seconds of a job


@pytest.mark.timeout(dose(short=180, full=600))
async def test_rolling_restarts_under_load_run_every_job_once(
    site: Site, record_property: Callable[[str, object], None]
) -> None:
    fleet = await start(site)

    codes, left = [], []
    async with feeding(site, jobs_of(site), per_second=RATE):
        for _ in range(ROUNDS):
            successors = await start(site)
            for node in fleet:
                node.signal(signal.SIGTERM)
                codes.append(await node.ended())
                left.append(site.books.abandoned())
            fleet = successors
    await site.all_finished()

    record_property("jobs", site.books.count_finished())
    record_property("repeated starts", len(site.ledger) - site.books.count_finished())
    charged = {(job.attempts, job.failures, job.crashes) for job in site.books.finished()}
    assert site.audit() == Audit()
    assert len(site.ledger) == site.books.count_finished()
    assert charged == {(1, 0, 0)}
    assert site.books.unwell() == []
    assert codes == [0] * ROUNDS * NODES
    assert left == [0] * ROUNDS * NODES


async def start(site: Site) -> list[Node]:
    """Nodes that work, and take so many jobs that some end while others are being settled."""
    nodes = [site.node(slots=32, lease="5s") for _ in range(NODES)]
    for node in nodes:
        await node.ready()
    return nodes


def jobs_of(site: Site) -> Callable[[int], NewJob]:
    """Jobs from 20 ms, one in four of them in a thread."""
    chance = random.Random(3)
    kinds = (site.works.rest, site.works.rest, site.works.rest, site.works.toil)
    return lambda number: chance.choice(kinds).job(number, chance.uniform(0.02, LONGEST))
