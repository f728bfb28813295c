"""Yards for the tests of the worker."""

from collections.abc import AsyncIterator

import pytest

from tests.worker.yard import Yard, open_yard


@pytest.fixture
async def yard(sqlite_url: str) -> AsyncIterator[Yard]:
    """A yard on SQLite."""
    async with open_yard(sqlite_url) as yard:
        yield yard


@pytest.fixture
async def any_yard(store_url: str) -> AsyncIterator[Yard]:
    """A yard on each store in turn."""
    async with open_yard(store_url) as yard:
        yield yard
