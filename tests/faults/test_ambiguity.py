"""The answers to commits get lost, whether they were carried out or not."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from statistics import median

import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.books import Books
from tests.acceptance.fleet import Site, open_site
from tests.acceptance.test_lines import call, enqueued
from tests.faults.dose import dose
from tests.faults.forgetful import CLAIM, HANDED, Forgetful
from tests.waiting import until
from windlass.bell.outbox import QUIET

JOBS = dose(short=200, full=5_000)
CALLERS = 8
CLAIMS = dose(short=5, full=50)
LOST = f"{HANDED[0]} after"
USABLE_WITHIN = dose(short=5.0, full=1.0)


@pytest.fixture
async def lines(postgres_url: str) -> AsyncIterator[Forgetful]:
    """Lines to the PostgreSQL of the test."""
    lines = Forgetful(postgres_url, random.Random(7))
    async with lines.open():
        yield lines


@pytest.fixture
async def site(tmp_path: Path, postgres_url: str, lines: Forgetful) -> AsyncIterator[Site]:
    """A site at the far end of them; its auditor has a line of its own."""
    async with open_site(tmp_path, lines.url, Books(postgres_url)) as site:
        yield site


@pytest.mark.timeout(dose(short=120, full=900))
async def test_nothing_is_lost_or_doubled_when_answers_to_commits_are_lost(
    site: Site, lines: Forgetful, record_property: Callable[[str, object], None]
) -> None:
    await asyncio.gather(*(site.node(slots=8).ready() for _ in range(2)))

    lines.share = 0.05
    numbers = [range(first, JOBS, CALLERS) for first in range(CALLERS)]
    await asyncio.gather(*(call(site, some) for some in numbers))
    await site.begun(JOBS, at_most=dose(short=60, full=600))
    lines.share = 0.0
    await site.all_finished()

    for what, count in sorted(lines.cuts.items()):
        record_property(f"cut {what}", count)
    assert site.audit() == Audit()
    assert len(site.accepted) == len(site.books.finished()) == JOBS
    assert site.books.charges() == []
    assert any(what.endswith("before") for what in lines.cuts)
    assert any(what.endswith("after") for what in lines.cuts)


@pytest.mark.timeout(dose(short=120, full=300))
async def test_claims_whose_answer_was_lost_run_soon_and_not_when_the_lease_ends(
    site: Site, lines: Forgetful, record_property: Callable[[str, object], None]
) -> None:
    await site.node(lease="60s").ready()

    waits = []
    for number in range(CLAIMS):
        lines.next = CLAIM
        # A job with a key is always claimed: it is never handed to a worker that stands by.
        keyed = site.works.rest.options(idempotency_key=f"number {number}")
        await site.enqueue(keyed.job(number, 0))
        await until(lambda: not lines.next, at_most=30)
        await site.begun(number + 1)
        waits.append(site.ledger.entries()[-1].at - lines.lost_at)
    await site.all_finished()

    record_property("answers lost", CLAIMS)
    record_property("median until it runs", f"{median(waits):.2f} s")
    record_property("longest until it runs", f"{max(waits):.2f} s")
    assert site.audit() == Audit()
    assert median(waits) <= USABLE_WITHIN
    assert max(waits) <= dose(short=30.0, full=USABLE_WITHIN)


@pytest.mark.timeout(dose(short=120, full=300))
async def test_jobs_that_were_handed_over_are_kept_once_when_the_caller_gets_no_answer(
    site: Site, lines: Forgetful, record_property: Callable[[str, object], None]
) -> None:
    await site.node().ready()

    while lines.cuts[LOST] < CLAIMS:
        await asyncio.sleep(2 * QUIET)  # whoever rang just now hands nothing over
        await until(site.books.standing_by)
        lines.next = HANDED
        await enqueued(site, site.works.effect.job(len(site.asked), 0))
        await site.begun(len(site.asked))
    await site.all_finished()

    record_property("answers lost", lines.cuts[LOST])
    assert site.audit() == Audit()
    assert len(site.accepted) == len(site.books.finished()) == len(site.asked)
