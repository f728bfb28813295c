"""The JSON about how things went that goes out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from windlass.core.histogram import Bins, percentile
from windlass.core.trend import SECOND_US, Tally
from windlass.store.trends import Trend
from windlass.wire.jobs import Instant

Counts = Annotated[
    list[float | None], Meta(description="One for each step; null where nobody counted.")
]
Spans = Annotated[list[float | None], Meta(description="Seconds; null where nothing finished.")]


class Times(msgspec.Struct, kw_only=True):
    """Times of the jobs that finished in each step, within 5 %: half were no longer than p50."""

    p50: Spans
    p95: Spans
    p99: Spans


class History(msgspec.Struct, kw_only=True):
    """How things went, step by step: every list has one entry for each."""

    window: str
    step: Annotated[int, Meta(description="How long a step is, in seconds.")]
    since: Annotated[Instant, Meta(description="When the first step begins.")]
    until: Annotated[Instant, Meta(description="When was counted last; the last step ends here.")]
    enqueued: Counts
    started: Annotated[Counts, Meta(description="Attempts that began.")]
    completed: Counts
    failed: Annotated[Counts, Meta(description="Attempts that failed, whether tried again or not.")]
    dead: Annotated[Counts, Meta(description="Jobs that failed for good.")]
    cancelled: Counts
    pending: Annotated[list[int | None], Meta(description="How many waited at the step's end.")]
    running: Annotated[list[int | None], Meta(description="How many ran at the step's end.")]
    wait: Annotated[Times, Meta(description="How long jobs were due before they began.")]
    run: Annotated[Times, Meta(description="How long their last attempts ran.")]


def history(window: str, step: int, trend: Trend) -> History:
    """How things went, as it goes out."""
    steps = trend.steps

    def counts(of: Callable[[Tally], float | None]) -> list[float | None]:
        return [None if one is None else _rounded(of(one)) for one in steps]

    return History(
        window=window,
        step=step,
        since=_instant(trend.since_us),
        until=_instant(trend.until_us),
        enqueued=counts(lambda one: one.enqueued),
        started=counts(lambda one: one.started),
        completed=counts(lambda one: one.completed),
        failed=counts(lambda one: one.failed),
        dead=counts(lambda one: one.dead),
        cancelled=counts(lambda one: one.cancelled),
        pending=[one.pending if one else None for one in steps],
        running=[one.running if one else None for one in steps],
        wait=_times([one.wait if one else {} for one in steps]),
        run=_times([one.run if one else {} for one in steps]),
    )


def _times(steps: Sequence[Bins]) -> Times:
    def spans(share: float) -> list[float | None]:
        return [_seconds(percentile(bins, share)) for bins in steps]

    return Times(p50=spans(0.5), p95=spans(0.95), p99=spans(0.99))


def _seconds(time_us: float | None) -> float | None:
    return None if time_us is None else round(time_us / SECOND_US, 6)


def _rounded(count: float | None) -> float | None:
    return None if count is None else round(count, 3)


def _instant(moment_us: int) -> datetime:
    return datetime.fromtimestamp(moment_us / SECOND_US, UTC)
