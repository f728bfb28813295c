"""Whoever is killed between the end of a job and its commit has ended it all the same."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable

import psutil
import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.fleet import Node, Site
from tests.faults.dose import dose
from tests.waiting import until
from windlass.core.job import WorkerId
from windlass.store.wills import Wills

JOBS = dose(short=20, full=100)
KILLS = dose(short=4, full=60)
SLOTS = 50
LENGTH = 0.02  # seconds of a job


@pytest.mark.timeout(dose(short=120, full=600))
@pytest.mark.parametrize("victim", ["all of it", "its worker"])
async def test_what_had_ended_before_a_kill_is_not_done_again(site: Site, victim: str) -> None:
    gate = site.folder / "gate"
    node = site.node(slots=JOBS, pool_threads=JOBS, lease="5s")
    await site.enqueue(*(site.works.gated_toil.job(n, str(gate)) for n in range(JOBS)))
    await site.begun(JOBS)

    async with site.books.closed():
        gate.touch()
        await until(lambda: len(ends(site, node)) == JOBS)
        kill(node, victim)
    if victim == "all of it":
        site.node(slots=JOBS, pool_threads=JOBS)
    await site.all_finished()

    assert site.audit() == Audit()
    assert len(site.ledger) == JOBS
    assert reclaimed(site) == [(JOBS, JOBS)]
    assert {job.attempts for job in site.books.finished()} == {1}


@pytest.mark.timeout(dose(short=120, full=600))
async def test_hardly_anything_is_done_twice_whenever_the_kill_comes(
    site: Site, record_property: Callable[[str, object], None]
) -> None:
    chance = random.Random(3)
    await site.enqueue(*(site.works.rest.job(n, LENGTH) for n in range(600 * KILLS)))

    for _ in range(KILLS):
        node = site.node(slots=SLOTS)
        await site.begun(len(site.ledger) + 300)
        await asyncio.sleep(chance.uniform(0, 0.2))
        node.kill()
    site.node(slots=SLOTS)
    await site.all_finished()

    willed = sum(ended for _, ended in reclaimed(site))
    doubled = [
        job for job, ends in Counter(job for job, _ in site.ledger.ends()).items() if ends > 1
    ]
    record_property("kills", KILLS)
    record_property("had ended, and were not committed", willed)
    record_property("done twice", len(doubled))
    assert site.audit() == Audit()
    assert willed  # or the kills came when nothing had ended
    assert len(doubled) <= 2 * KILLS


def ends(site: Site, node: Node) -> list[tuple[str, int]]:
    """The attempts of which its workers have written down how they ended."""
    wills = site.app.storehouse.wills
    assert isinstance(wills, Wills)
    workers = [WorkerId(line["worker"]) for line in node.said("worker started")]
    return [end for worker in workers for end in wills.ends(worker)]


def kill(node: Node, victim: str) -> None:
    """End a node, or its one worker, and see that they are gone."""
    workers = node.working()
    if victim == "all of it":
        node.kill()
    else:
        workers[0].kill()
    psutil.wait_procs(workers, timeout=10)


def reclaimed(site: Site) -> list[tuple[int, int]]:
    """How many jobs were reclaimed each time, and how many of them had ended."""
    said = [line for node in site.nodes for line in node.said("jobs reclaimed")]
    return [(line["count"], line["ended"]) for line in said]
