"""Jobs that hang end at their timeout, and those that keep the GIL cost no neighbour its lease."""

import asyncio
import random
from collections.abc import Callable

import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.fleet import Site
from tests.faults.dose import dose
from tests.faults.troubles import START, TIMEOUT, Troubles
from windlass.core.job import NewJob

HANGS = dose(short=2, full=50)  # of each kind
JOBS = dose(short=100, full=2_000)
ENDED_WITHIN = dose(short=30.0, full=2.0)  # seconds after the timeout
LEASE = dose(short=4.0, full=2.0)  # seconds
HOGS = dose(short=1, full=10)
HOGGED_FOR = dose(short=1.5 * LEASE, full=10.0)


@pytest.mark.timeout(dose(short=120, full=900))
async def test_jobs_that_hang_end_at_their_timeout_and_the_others_go_on(
    postgres_site: Site, record_property: Callable[[str, object], None]
) -> None:
    site, troubles = postgres_site, Troubles(postgres_site.app)
    hanging = [job for number in range(HANGS) for job in hangs(troubles, number)]
    others = [site.works.rest.job(number, 0.02) for number in range(4 * HANGS, JOBS)]
    jobs = [*hanging, *others]
    random.Random(4).shuffle(jobs)
    site.doomed = {job.id for job in hanging}
    await asyncio.gather(*(site.node(start=START, slots=30).ready() for _ in range(2)))

    await site.enqueue(*jobs)
    await site.all_finished()

    late = {job.type: 0.0 for job in hanging}
    for job in hanging:
        late[job.type] = max(late[job.type], await lateness(site, job))
    record_property("hangs", len(hanging))
    for type_, seconds in late.items():
        record_property(f"longest {type_} beyond its timeout", f"{seconds:.2f} s")
    assert site.audit() == Audit()
    assert max(late.values()) <= ENDED_WITHIN


@pytest.mark.timeout(dose(short=120, full=900))
async def test_nobody_is_taken_for_dead_because_a_neighbour_keeps_the_gil(
    postgres_site: Site, record_property: Callable[[str, object], None]
) -> None:
    site, troubles = postgres_site, Troubles(postgres_site.app)
    fleet = [site.node(start=START, processes=2, slots=8, lease=f"{LEASE}s") for _ in range(2)]
    await asyncio.gather(*(node.ready(2) for node in fleet))
    hogs = [troubles.hog.job(number, HOGGED_FOR) for number in range(HOGS)]
    jobs = [site.works.effect.job(HOGS + number, 0.1) for number in range(JOBS)]

    await site.enqueue(*hogs, *jobs)
    await site.all_finished(stalled=60)

    rescues = [line for node in fleet for line in node.said("jobs reclaimed")]
    record_property("hogs", f"{HOGS} for {HOGGED_FOR:g} s, with a lease of {LEASE:g} s")
    record_property("neighbours taken for dead", len(rescues))
    record_property("repeated starts", len(site.ledger) - len(jobs) - len(hogs))
    assert site.audit() == Audit()
    assert rescues == []


def hangs(troubles: Troubles, number: int) -> list[NewJob]:
    """A job of each kind that hangs."""
    return [
        troubles.spin.job(number),
        troubles.wait.job(number),
        troubles.doze.job(number),
        troubles.nap.job(number, 4 * TIMEOUT),
    ]


async def lateness(site: Site, job: NewJob) -> float:
    """How long after its timeout a job was over, in seconds."""
    [began] = [entry.at for entry in site.ledger.entries() if entry.job == job.id]
    over = (await site.app.get(job.id)).finished_at
    assert over is not None
    return over.timestamp() - began - TIMEOUT
