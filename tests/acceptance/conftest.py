"""A site for each test, with a store of its own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.acceptance.fleet import Site, open_site


@pytest.fixture
async def site(tmp_path: Path, store_url: str) -> AsyncIterator[Site]:
    """A site on each store in turn."""
    async with open_site(tmp_path, store_url) as site:
        yield site
