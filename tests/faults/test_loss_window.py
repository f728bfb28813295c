"""What is lost when a standby takes over that nobody had waited for."""

from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest

from tests.acceptance.books import Books
from tests.acceptance.fleet import open_site
from tests.faults.failover import BACK_WITHIN, failover, pair
from tests.services import PostgresServer

BEHIND = 0.3  # seconds that the standby is behind


@pytest.mark.timeout(600)
async def test_what_an_asynchronous_standby_loses_is_what_it_was_behind(
    primary: PostgresServer, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    async with (
        pair(primary, behind=BEHIND) as both,
        open_site(tmp_path, both.lines.url, Books(primary.url)) as site,
    ):
        died, back = await failover(both, site)

        lost = site.audit().lost
        window = max((died - made_at(job) for job in lost), default=0.0)
        record_property("jobs", site.books.count_finished())
        record_property("lost", len(lost))
        record_property("loss window", f"{window:.2f} s, {BEHIND} s behind")
        assert window <= BEHIND + 0.2
        assert not site.audit().overdone
        assert not site.audit().doubled
        assert site.books.charges() == []
        assert back <= BACK_WITHIN


def made_at(job: str) -> float:
    """When an id was made, which it says itself, in seconds since 1970."""
    return (UUID(job).int >> 80) / 1000
