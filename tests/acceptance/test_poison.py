"""A job that kills its process fails for it, and takes no neighbour along."""

import random

import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.fleet import Site

JOBS = 3_000


@pytest.mark.timeout(180)
async def test_three_poisonous_jobs_among_three_thousand_are_the_only_ones_to_fail(
    site: Site,
) -> None:
    chance = random.Random(4)
    poison = [site.works.leave.job(0), site.works.devour.job(1), site.works.stumble.job(2)]
    innocent = [
        site.works.rest.job(number, chance.uniform(0.005, 0.02))
        for number in range(len(poison), JOBS)
    ]
    jobs = [*poison, *innocent]
    chance.shuffle(jobs)

    await site.enqueue(*jobs)
    for _ in range(2):
        site.node(processes=2, slots=8)
    await site.all_finished()

    failed = [job for job in site.books.finished() if job.state != "completed"]
    assert {job.id for job in failed} == {job.id for job in poison}
    assert [(job.state, job.reason, job.crashes) for job in failed] == [("failed", "crash", 3)] * 3
    assert not [job for job in site.books.finished() if job.crashes and job not in failed]
    starts = [entry.number for entry in site.ledger.entries()]
    # Three times alone, and once before in company, unless a neighbour had killed that already.
    assert {starts.count(number) for number in range(3)} <= {3, 4}


async def test_a_suspect_of_an_app_that_is_large_already_runs_all_the_same(site: Site) -> None:
    gate = site.folder / "gate"
    node = site.node(ballast=4 << 30)
    await site.enqueue(site.works.gated_effect.job(0, str(gate)))
    await site.begun(1)

    for worker in node.workers():
        worker.kill()
    gate.touch()
    await site.all_finished()

    assert site.audit() == Audit()
