"""One look at everything that is shown."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from msgspec import Struct

from windlass.app.view import view
from windlass.core.histogram import added, percentile
from windlass.core.trend import WINDOWS, Tally

if TYPE_CHECKING:
    from windlass.app import Job
    from windlass.app.board import Board
    from windlass.store.records import Counts
    from windlass.wiring import Windlass

WINDOW = WINDOWS["5m"]
# As many jobs as somebody would scroll through; the query finds the others.
JOBS = 200
# How many steps tell of now: one alone has often not ended, or was written down late.
LATELY = 6


class Pace(Struct, frozen=True, kw_only=True):
    """How fast things go, over the last half a minute; None where nobody counted."""

    into: float | None = None
    out: float | None = None
    failed: float | None = None
    wait: timedelta | None = None  # the 95th percentile
    run: timedelta | None = None


class Sight(Struct, frozen=True, kw_only=True):
    """What there was to see at one moment."""

    board: Board
    counts: Counts
    steps: Sequence[Tally | None]
    jobs: Sequence[Job]

    @property
    def at(self) -> datetime:
        """When it was, by the store's clock."""
        return self.board.at

    @property
    def pace(self) -> Pace:
        """How fast things go."""
        return pace(self.steps)

    @property
    def finished(self) -> list[float]:
        """How many jobs a second ended well, step by step."""
        return [0.0 if one is None else one.completed / WINDOW.step for one in self.steps]


async def look(app: Windlass, query: str) -> Sight:
    """Read all of it; what this asks does not grow with the jobs there."""
    store = (await app.home()).store
    board, counts = await app.board(), await app.stats()
    trend = await store.trend(WINDOW)
    page = await (app.page(query=query, limit=JOBS) if query else app.page(limit=JOBS))
    return Sight(
        board=board, counts=counts, steps=trend.steps, jobs=[view(job) for job in page.jobs]
    )


def pace(steps: Sequence[Tally | None]) -> Pace:
    """How fast things went in the last steps that somebody has counted."""
    counted = [one for one in steps[-LATELY - 1 :] if one is not None][:LATELY]
    if not counted:
        return Pace()
    seconds = len(counted) * WINDOW.step
    wait, run = counted[0].wait, counted[0].run
    for one in counted[1:]:
        wait, run = added(wait, one.wait), added(run, one.run)
    return Pace(
        into=sum(one.enqueued or 0.0 for one in counted) / seconds,
        out=sum(one.completed for one in counted) / seconds,
        failed=sum(one.failed for one in counted) / seconds,
        wait=_length(percentile(wait, 0.95)),
        run=_length(percentile(run, 0.95)),
    )


def _length(time_us: float | None) -> timedelta | None:
    return None if time_us is None else timedelta(microseconds=time_us)
