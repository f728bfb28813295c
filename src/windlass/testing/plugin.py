"""The fixtures that pytest finds by itself; what they need is imported when they are used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from windlass.testing.own_clock import OwnClock
    from windlass.wiring import Windlass


@pytest.fixture
def app_clock() -> OwnClock:
    """A clock that stands still until the test advances it."""
    from windlass.testing.own_clock import OwnClock  # noqa: PLC0415

    return OwnClock()


@pytest.fixture
def windlass_app(app_clock: OwnClock) -> Iterator[Windlass]:
    """An app with a store in memory that lives by `app_clock`."""
    from windlass.testing.binding import in_memory  # noqa: PLC0415

    with in_memory(app_clock) as app:
        yield app
