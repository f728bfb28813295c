"""Where a job stands in line: one static sort key made of run time, priority and aging."""

from __future__ import annotations

from datetime import timedelta

from windlass.core.duration import parse_duration

MIN_PRIORITY = -100
MAX_PRIORITY = 100

DEFAULT_AGING = timedelta(seconds=60)
# Longer than any job waits, so that no amount of waiting outweighs a point of priority.
STRICT_AGING = timedelta(microseconds=10**15)


def rank(run_at_us: int, priority: int, aging: timedelta) -> int:
    """The sort key in µs, smaller first: a point of priority is worth `aging` of waiting.

    Two waiting jobs compare the same at every moment, so linear aging never rewrites a row.
    """
    return run_at_us - priority * (aging // timedelta(microseconds=1))


def parse_aging(text: str) -> timedelta:
    """Read a duration such as `60s`, `500ms` or `2m`, or `strict`."""
    return STRICT_AGING if text == "strict" else parse_duration(text)
