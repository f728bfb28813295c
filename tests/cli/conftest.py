"""A terminal on an embedded store, and what tests put into that store."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from rich.console import Console

from tests.app.hand import Hand
from tests.cli.terminal import Terminal
from windlass import Windlass
from windlass.cli.desk import Desk


@pytest.fixture
def windlass(tmp_path: Path, sqlite_url: str) -> Terminal:
    """The command, on an embedded store of the test's own."""
    return Terminal(tmp_path, sqlite_url)


@pytest.fixture
def windlass_on_postgres(tmp_path: Path, postgres_url: str) -> Terminal:
    """The command, on a PostgreSQL database of the test's own."""
    return Terminal(tmp_path, postgres_url)


@pytest.fixture
async def hand(sqlite_url: str) -> AsyncIterator[Hand]:
    """Somebody who takes the jobs one by one, and ends them as the test says."""
    async with Windlass(sqlite_url) as app:
        yield await Hand.of(app)


@pytest.fixture
def attended() -> Desk:
    """A desk where somebody reads what is shown, on a wide terminal without colours."""
    desk = Desk(None, json=False)
    desk.out = Console(force_terminal=True, color_system=None, width=200)
    return desk
