"""A site for each test, on either store or on PostgreSQL alone, without Redis."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.acceptance.fleet import Site, open_site
from tests.faults.dose import dose
from tests.services import PostgresServer

# What takes long even in a small dose belongs to the full one alone.
LONG = [
    "test_keys_under_harm.py",
    "test_loss_window.py",
    "test_poison_cost.py",
    "test_soak.py",
    "test_upgrade.py",
    "test_vanished_server.py",
]
collect_ignore = dose(short=LONG, full=[])


@pytest.fixture(autouse=True)
def no_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever Redis somebody set for a windlass of their own."""
    monkeypatch.delenv("REDIS_URL", raising=False)
    monkeypatch.delenv("WINDLASS_REDIS", raising=False)


@pytest.fixture
async def site(tmp_path: Path, store_url: str) -> AsyncIterator[Site]:
    """A site on each store in turn."""
    async with open_site(tmp_path, store_url) as site:
        yield site


@pytest.fixture
async def postgres_site(tmp_path: Path, postgres_url: str) -> AsyncIterator[Site]:
    """A site on PostgreSQL."""
    async with open_site(tmp_path, postgres_url) as site:
        yield site


@pytest.fixture
def primary() -> Iterator[PostgresServer]:
    """A PostgreSQL of the test's own, which may die."""
    with PostgresServer() as server:
        yield server
