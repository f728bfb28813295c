"""A node that was frozen past its lease changes nothing when it comes back."""

import asyncio
from pathlib import Path

import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.fleet import Node, Site
from tests.waiting import until
from windlass.core.job import NewJob

JOBS = 12  # of each kind
QUARANTINE = 4  # how many of them run at a time once they are taken from a node


@pytest.mark.timeout(180)
async def test_what_finished_elsewhere_meanwhile_is_refused(site: Site) -> None:
    jobs = gated(site)
    frozen, other = await frozen_with(site, jobs)
    gate(site).touch()
    await site.all_finished()

    frozen.thaw()
    await until(lambda: frozen.lost() == site.accepted)

    assert site.audit() == Audit()
    assert not other.lost()


@pytest.mark.timeout(180)
async def test_what_runs_elsewhere_meanwhile_is_refused(site: Site) -> None:
    jobs = gated(site)
    frozen, other = await frozen_with(site, jobs)
    await site.begun(len(jobs) + QUARANTINE)

    frozen.thaw()
    gate(site).touch()
    await site.all_finished()
    await until(lambda: frozen.lost() >= toils(jobs))

    assert site.audit() == Audit()
    assert not other.lost()


@pytest.mark.timeout(180)
async def test_a_node_that_was_frozen_for_less_than_its_lease_keeps_its_jobs(site: Site) -> None:
    jobs = gated(site)
    frozen, other = await frozen_with(site, jobs, lease=10)
    await asyncio.sleep(2)

    frozen.thaw()
    gate(site).touch()
    await site.all_finished()

    assert site.audit() == Audit()
    assert len(site.ledger) == len(jobs)
    assert not other.said("jobs reclaimed")


@pytest.mark.timeout(180)
async def test_workers_whose_supervisor_is_frozen_let_go_before_others_take(site: Site) -> None:
    jobs = [site.works.gated_effect.job(number, str(gate(site))) for number in range(JOBS)]
    node = site.node(lease="5s")
    await site.enqueue(*jobs)
    await site.begun(len(jobs))
    other = site.node(lease="5s")
    await other.ready()

    node.freeze(site.books, supervisor_only=True)
    await site.begun(2 * len(jobs))
    gate(site).touch()
    await site.all_finished()
    node.thaw()

    assert site.audit() == Audit()
    assert len(site.ledger) == 2 * len(jobs)
    assert node.handed_back() == site.accepted
    assert site.books.unwell() == []  # nobody had to take anything


def gate(site: Site) -> Path:
    """What all the jobs wait for."""
    return site.folder / "gate"


def gated(site: Site) -> list[NewJob]:
    """Jobs that can be stopped, and jobs that cannot."""
    place = str(gate(site))
    return [
        *(site.works.gated_effect.job(number, place) for number in range(JOBS)),
        *(site.works.gated_toil.job(JOBS + number, place) for number in range(JOBS)),
    ]


async def frozen_with(site: Site, jobs: list[NewJob], lease: int = 3) -> tuple[Node, Node]:
    """A node that was frozen while it ran the jobs, and another one that is not."""
    frozen = site.node(lease=f"{lease}s")
    await site.enqueue(*jobs)
    await site.begun(len(jobs))
    other = site.node(lease=f"{lease}s")
    await other.ready()
    frozen.freeze(site.books)
    return frozen, other


def toils(jobs: list[NewJob]) -> set[str]:
    """The jobs that cannot be stopped."""
    return {job.id for job in jobs if job.type == "gated_toil"}
