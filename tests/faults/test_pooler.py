"""A PgBouncer in transaction mode stands before PostgreSQL: all goes well, by looking for work."""

import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from tests.acceptance.audit import Audit
from tests.acceptance.books import Books
from tests.acceptance.fleet import Site, open_site
from tests.faults.dose import dose
from tests.waiting import until

JOBS = dose(short=300, full=2_000)
NOTICED_WITHIN = 3.0
# Until its supervisor has looked, and on a machine that has much else to do.
LATE = dose(short=20.0, full=2.0)


@pytest.fixture
async def site(
    tmp_path: Path, postgres_url: str, pgbouncer_url: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Site]:
    """A site behind a pooler; its auditor has a line of its own."""
    monkeypatch.setenv("WINDLASS_PGBOUNCER", "1")
    async with open_site(tmp_path, pgbouncer_url, Books(postgres_url)) as site:
        yield site


@pytest.mark.timeout(180)
async def test_jobs_run_behind_a_pooler_and_a_deaf_bell_is_noticed(
    site: Site, record_property: Callable[[str, object], None]
) -> None:
    kinds = (site.works.effect, site.works.plain_effect, site.works.rest)
    nodes = [site.node(pgbouncer=1, slots=16) for _ in range(2)]
    for node in nodes:
        await node.ready()
    joined = time.monotonic()

    for first in range(0, JOBS, 50):
        await site.enqueue(
            *(kinds[number % 3].job(number, 0.005) for number in range(first, first + 50))
        )
    await until(lambda: all(node.said("bell lost") for node in nodes))
    noticed = time.monotonic() - joined
    await site.all_finished()

    problems = [line for node in nodes for line in node.lines() if line["level"] == "error"]
    record_property("noticed within", f"{noticed:.1f} s")
    for name, figure in site.account()._asdict().items():
        record_property(name, figure)
    assert site.audit() == Audit()
    assert len(site.ledger) == JOBS
    assert {(job.attempts, job.failures) for job in site.books.finished()} == {(1, 0)}
    assert {line["error"] for node in nodes for line in node.said("bell lost")} == {
        "notifications do not arrive: a pooler is in between"
    }
    assert noticed <= NOTICED_WITHIN + LATE
    assert problems == []
