"""A job that is scheduled starts at its time, and never before."""

import random
from statistics import median

import pytest

from tests.acceptance.fleet import Site
from tests.faults.dose import dose

JOBS = 30
# A machine that has other things to do may be late; one that is late every time is too slow.
ROUNDS = 3
# Of half of them; who looks for them once a second would be late by half of one.
EARLY_ENOUGH = dose(short=0.25, full=0.05)


@pytest.mark.timeout(180)
async def test_a_scheduled_job_starts_within_a_tenth_of_a_second_and_never_early(
    site: Site,
) -> None:
    chance = random.Random(6)
    await site.node().ready()

    rounds = []
    for _ in range(ROUNDS):
        rounds.append(await lateness(site, chance))
        if on_time(rounds[-1]):
            break

    assert min(map(min, rounds)) >= 0
    assert on_time(rounds[-1])


async def lateness(site: Site, chance: random.Random) -> list[float]:
    """How late jobs start that are due at various times, in seconds, the best first."""
    jobs = [
        site.works.rest.options(delay=chance.uniform(0.3, 3)).job(number, 0)
        for number in range(JOBS)
    ]
    for job in jobs:
        await site.enqueue(job)
    await site.all_finished()
    started = {entry.job: entry.at for entry in site.ledger.entries()}
    return sorted(
        [started[job.id] - (await site.app.get(job.id)).run_at.timestamp() for job in jobs]
    )


def on_time(late: list[float]) -> bool:
    """Whether nearly all of them are in time, or half of them by far."""
    return late[JOBS * 95 // 100] <= 0.1 or median(late) <= EARLY_ENOUGH
