"""Spans of time as people write them."""

from __future__ import annotations

import re
from datetime import timedelta

from windlass.core.errors import BadInput

UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
WRITTEN = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)?", re.ASCII)

# Longer than any program runs, and short enough that adding it to a date stays a date.
LONGEST = timedelta(days=36525)


def parse_duration(text: str) -> timedelta:
    """Read `500ms`, `60s`, `2m`, `1.5h` or `7d`; a bare number is in seconds."""
    match = WRITTEN.fullmatch(text.strip())
    if match is None:
        raise BadInput(f"{text!r} is no duration; write it like 500ms, 60s, 2m, 1.5h or 7d")
    return duration(float(match[1]) * UNITS[match[2] or "s"], "the duration")


def duration(value: float | timedelta, what: str) -> timedelta:
    """A span given in seconds or as a timedelta: not negative, and at most a hundred years."""
    seconds = value.total_seconds() if isinstance(value, timedelta) else value
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise BadInput(f"{what} must be seconds or a timedelta, not {value!r}")
    # Also refuses NaN, which compares to nothing.
    if not 0 <= seconds <= LONGEST.total_seconds():
        raise BadInput(f"{what} must be between 0 and 100 years, not {value!r}")
    return value if isinstance(value, timedelta) else timedelta(seconds=seconds)


def in_words(seconds: float) -> str:
    """A rough length of time, in the two largest units that matter."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:  # noqa: PLR2004 — a minute
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:  # noqa: PLR2004 — an hour
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 72:  # noqa: PLR2004 — three days, beyond which nobody counts hours
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(hours, 24)
    return f"{days:,} d {hours} h" if hours else f"{days:,} d"
