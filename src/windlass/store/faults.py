"""What is told of failures that are alike."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from windlass.core.faults import Group


class Failures(NamedTuple):
    """Groups, the largest first. `looked_back_to` is said if not every failure was looked at."""

    groups: Sequence[Group]
    looked_at: int
    looked_back_to: datetime | None


class Dead(NamedTuple):
    """All dead letters, and those looked at in groups; else as `Failures`."""

    total: int
    groups: Sequence[Group]
    looked_at: int
    looked_back_to: datetime | None


class FaultFinding(Protocol):
    """What is told of failures that are alike."""

    async def dead(self, most: int) -> Dead:
        """The dead letters, grouped by type and error: the newest, as far as a moment reaches."""
        ...

    async def failures(self, window: timedelta, most: int) -> Failures:
        """Attempts that failed within a window, grouped alike; those of the newest jobs first."""
        ...
