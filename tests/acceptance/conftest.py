"""A site for each test: a store of its own, and nobody left behind."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.acceptance.fleet import Site


@pytest.fixture
async def site(tmp_path: Path, store_url: str) -> AsyncIterator[Site]:
    """A site on each store in turn."""
    site = Site(tmp_path, store_url)
    try:
        await site.app.stats()  # an embedded store is made by whoever comes first
        site.books.open_effects()
        yield site
    finally:
        await site.close()
