"""What was measured."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct


class Figures(Struct, frozen=True, kw_only=True):
    """How fast a store takes jobs, how fast one worker runs them, and how soon it begins."""

    store: str  # postgres or sqlite
    jobs: int
    enqueued_per_second: int
    drained_per_second: int
    pick_up_p50_ms: float
    pick_up_p99_ms: float


def percentile(sorted_values: Sequence[float], share: float) -> float:
    """The value that this share of all does not exceed."""
    return sorted_values[min(int(len(sorted_values) * share), len(sorted_values) - 1)]
