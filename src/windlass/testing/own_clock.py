"""A clock that belongs to the test."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from windlass.clock import Clock, SystemClock
from windlass.core.duration import duration


class OwnClock:
    """Says what time it was when it was made, until the test advances it."""

    def __init__(self, system: Clock | None = None) -> None:
        """Begin now, so that times the program takes elsewhere make sense beside it."""
        self._now_us = (system or SystemClock()).now_us()

    def now_us(self) -> int:
        """Microseconds since 1970."""
        return self._now_us

    def monotonic(self) -> float:
        """The same instant, in seconds."""
        return self._now_us / 1_000_000

    def now(self) -> datetime:
        """The same instant, as a datetime."""
        return datetime.fromtimestamp(self.monotonic(), UTC)

    def advance(self, span: float | timedelta) -> None:
        """Let time pass: seconds, or a timedelta."""
        self._now_us += duration(span, "time to pass") // timedelta(microseconds=1)
