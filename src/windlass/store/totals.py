"""What can be told about the fleet's work without reading each job."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from windlass.core.census import Census, Total
from windlass.core.job import JobId


class Step(NamedTuple):
    """How far a running attempt says it has come."""

    fraction: float
    message: str | None
    at: datetime


class Glance(NamedTuple):
    """What tells whether a job has changed: two that are equal are of the same job as it was."""

    id: JobId
    state: str
    lane: str | None
    fence: int
    cancel_requested: bool
    step: Step | None = None


class Newest(NamedTuple):
    """One of the newest jobs: two that are equal are of the same job as it was."""

    id: JobId
    state: str
    fence: int


class Totals(Protocol):
    """What can be told about the fleet's work without reading each job."""

    async def totals(self) -> list[Total]:
        """How many jobs and attempts ever came to which end; exact, and never less than before."""
        ...

    async def census(self, *, rests: int = 20) -> Census:
        """What is live and what was submitted, as of a moment that everybody is told alike.

        It is counted anew after a rest of so many times as long as the last count took.
        """
        ...

    async def newest(self) -> list[Newest]:
        """The two hundred newest jobs, live and finished."""
        ...

    async def glance(self, ids: Sequence[JobId]) -> list[Glance]:
        """How these jobs stand, in no order; those that are gone are left out."""
        ...
