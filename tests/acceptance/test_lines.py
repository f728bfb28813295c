"""Lines break under requests that may have been carried out; nothing is lost or doubled."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.books import Books
from tests.acceptance.fleet import Site, open_site
from tests.acceptance.lines import Lines
from tests.faults.dose import dose
from windlass.core.errors import StoreAway
from windlass.core.job import NewJob

JOBS = dose(short=600, full=5_000)
CALLERS = 8


@pytest.fixture
async def lines(postgres_url: str) -> AsyncIterator[Lines]:
    """Lines to the PostgreSQL of the test."""
    lines = Lines(postgres_url, random.Random(7))
    async with lines.open():
        yield lines


@pytest.fixture
async def site(tmp_path: Path, postgres_url: str, lines: Lines) -> AsyncIterator[Site]:
    """A site at the far end of them; its auditor has a line of its own."""
    async with open_site(tmp_path, lines.url, Books(postgres_url)) as site:
        yield site


@pytest.mark.timeout(dose(short=180, full=900))
async def test_nothing_is_lost_or_doubled_when_lines_are_cut_under_requests(
    site: Site, lines: Lines, record_property: Callable[[str, object], None]
) -> None:
    for node in [site.node(slots=8) for _ in range(2)]:
        await node.ready()

    lines.share = 0.02
    await asyncio.gather(*(call(site, range(first, JOBS, CALLERS)) for first in range(CALLERS)))
    await site.begun(JOBS, at_most=dose(short=60, full=600))
    lines.share = 0.0
    await site.all_finished()

    record_property("cuts", lines.cuts)
    assert site.audit() == Audit()
    assert len(site.accepted) == len(site.books.finished()) == JOBS
    assert {job.failures for job in site.books.finished()} == {0}
    assert lines.cuts >= 20


async def call(site: Site, numbers: range) -> None:
    """Ask for effects one by one, each under a key of its own until somebody answers."""
    kinds = (site.works.effect, site.works.plain_effect, site.works.rest)
    for number in numbers:
        keyed = kinds[number % 3].options(idempotency_key=f"number {number}")
        await enqueued(site, keyed.job(number, 0.01))


async def enqueued(site: Site, job: NewJob) -> None:
    """Ask for the same job until somebody answers."""
    while True:
        with suppress(StoreAway):
            return await site.enqueue(job)
        await asyncio.sleep(0.01)
