"""An app on each store, and a hand that runs its jobs."""

from collections.abc import AsyncIterator

import pytest

from tests.app.hand import Hand
from windlass import Windlass


@pytest.fixture
async def app(store_url: str) -> AsyncIterator[Windlass]:
    """An app on either store."""
    async with Windlass(store_url) as app:
        yield app


@pytest.fixture
async def hand(app: Windlass) -> Hand:
    """Somebody who takes the app's jobs one by one, and ends them as the test says."""
    return await Hand.of(app)
