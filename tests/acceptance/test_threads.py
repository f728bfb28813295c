"""Threads are granted once, where they are, and to wide jobs in their time."""

import asyncio
import random
import time
from collections.abc import Callable
from contextlib import suppress

import psutil
import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.fleet import Node, Site
from tests.acceptance.grants import most, overdrawn, starts
from tests.faults.dose import dose
from tests.waiting import until
from windlass.core.job import NewJob

JOBS = dose(short=160, full=5_000)
KILLS = dose(short=5, full=60)
WIDTHS = dose(short=(4, 8), full=(4, 8, 16))
PATIENCE = 5.0  # of a wide job; see WorkerSettings
NARROW = 0.25  # seconds
# Until a worker is told that threads are free, looks, and claims; on a machine with much to do.
LATE = dose(short=8.0, full=1.5)


@pytest.mark.timeout(dose(short=180, full=600))
async def test_no_worker_ever_grants_more_threads_than_it_has_though_workers_are_killed(
    site: Site, record_property: Callable[[str, object], None]
) -> None:
    chance = random.Random(4)
    fleet = [site.node(threads=width, lease="5s") for width in WIDTHS]
    jobs = [a_job(site, number, chance) for number in range(JOBS)]
    await asyncio.gather(*(node.ready() for node in fleet))
    await site.enqueue(*jobs)

    await site.begun(10)
    kills = 0
    while kills < KILLS:
        await asyncio.sleep(0.3)
        kills += kill_a_worker(chance.choice(fleet), chance)
    unfinished = JOBS - site.books.count_finished()
    await site.all_finished()
    # Whoever can still grant all it has, lost none to the dead.
    await site.enqueue(site.works.hold.options(thread_demand=WIDTHS[-1]).job(JOBS, 0.01))
    await site.all_finished()

    for name, figure in site.account()._asdict().items():
        record_property(name, figure)
    record_property("kills", kills)
    record_property("overdrawn", len(overdrawn(site.grants)))
    assert overdrawn(site.grants) == []
    assert site.audit() == Audit()
    peaks = most(site.grants)
    assert (peaks[4] > 2, peaks[8] > 4) == (True, True)  # or it would be no feat
    assert unfinished
    *granted, last = by_number(site)
    assert last == {WIDTHS[-1]}
    for job, threads in zip(jobs, granted, strict=True):
        assert threads <= fair(job.threads)


async def test_each_job_is_placed_where_it_fits(site: Site) -> None:
    fleet = [site.node(threads=4, lease="5s"), site.node(threads=8, lease="5s")]
    await asyncio.gather(*(node.ready() for node in fleet))
    demands = [8, 1, 5, 3, 6, 4, 7, 2] * 4
    jobs = [site.works.hold.options(thread_demand=n).job(i, 0.05) for i, n in enumerate(demands)]

    await site.enqueue(*jobs)
    await site.all_finished()

    placed = [grant for [grant] in starts(site.grants).values()]
    assert sorted(grant.threads for grant in placed) == sorted(demands)
    assert {grant.width for grant in placed if grant.threads > 4} == {8}
    assert 4 in {grant.width for grant in placed if grant.threads <= 4}
    assert overdrawn(site.grants) == []


async def test_a_job_too_wide_for_all_runs_on_one_thread_until_a_wider_worker_joins(
    site: Site,
) -> None:
    await site.node(threads=4, lease="5s").ready()
    cramped = site.works.hold.options(thread_demand=6).job(0, 1.0)
    await site.enqueue(cramped)
    await site.begun(1)

    why = await site.app.explain(cramped.id)
    await site.app.wait(cramped.id)
    lines = await site.app.lines(cramped.id)
    await site.node(threads=8, lease="5s").ready()
    # From now on every one gets its threads, though the narrow worker has nothing else to do.
    wide = site.works.hold.options(thread_demand=6)
    await site.enqueue(*(wide.job(number, 0.05) for number in range(1, 5)))
    await site.all_finished()

    assert by_number(site) == [{1}, {6}, {6}, {6}, {6}]
    assert why.sentences[1:] == [
        "runs on one thread: it asks for 6, and no live worker had so many when it was claimed"
    ]
    assert [line.message for line in lines] == [
        "asked for 6 threads, more than any live worker has: runs on one"
    ]


async def test_a_job_as_wide_as_the_worker_starts_in_its_time_under_a_stream_of_narrow_ones(
    site: Site,
) -> None:
    await site.node(threads=4).ready()
    stream = asyncio.create_task(narrow_stream(site))
    await site.begun(12)

    wide = site.works.hold.options(thread_demand=4).job(0, 0.05)
    await site.enqueue(wide)
    asked = time.monotonic()
    await until(lambda: 0 in starts(site.grants), at_most=60)
    stream.cancel()
    await asyncio.wait([stream])
    await site.all_finished()

    [grant] = starts(site.grants)[0]
    meanwhile = [
        one for ones in starts(site.grants).values() for one in ones if asked < one.at < grant.at
    ]
    assert grant.threads == 4
    assert grant.at - asked <= PATIENCE + NARROW + LATE
    assert len(meanwhile) > 4  # narrow ones passed it by, as long as they might
    assert overdrawn(site.grants) == []


def a_job(site: Site, number: int, chance: random.Random) -> NewJob:
    """A job of any way and width, some wider than every worker."""
    works = site.works
    kinds = (*[works.hold] * 5, *[works.hold_plainly] * 4, works.hold_isolated)
    demand = chance.choice((1, 1, 1, 2, 2, 3, 4, 6, 8, 16))
    chosen = chance.choice(kinds).options(thread_demand=demand)
    return chosen.job(number, chance.uniform(0.01, 0.08))


def fair(demand: int) -> set[int]:
    """How many threads a job may be granted, over all its attempts."""
    if demand > WIDTHS[-1]:
        return {1}
    return {demand} if demand <= WIDTHS[0] else {demand, 1}


def kill_a_worker(node: Node, chance: random.Random) -> int:
    """Kill one that works, if there is one."""
    workers = node.working()
    if workers:
        with suppress(psutil.NoSuchProcess):
            chance.choice(workers).kill()
            return 1
    return 0


def by_number(site: Site) -> list[set[int]]:
    """The threads that each job was granted, over all its attempts."""
    found = starts(site.grants)
    return [{grant.threads for grant in found[number]} for number in sorted(found)]


async def narrow_stream(site: Site) -> None:
    """Keep all threads busy, and a few more jobs in line."""
    number = 1
    while True:
        while len(site.accepted) - len(site.ledger) < 12:
            await site.enqueue(site.works.hold.options(thread_demand=1).job(number, NARROW))
            number += 1
        await asyncio.sleep(0.02)
