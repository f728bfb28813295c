"""The database's time between two moments at which it was told."""

from __future__ import annotations


class Reckoning:
    """Reckons the database's time from the last word of it, and from our clock since."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._told_us = 0
        self._told_at = 0.0

    def hear(self, told_us: int, now: float) -> None:
        """Take in what the database's clock said when ours said `now`."""
        self._told_us, self._told_at = told_us, now

    def at(self, now: float) -> int:
        """The database's time when ours is `now`, in µs; 0 while it was never told."""
        if not self._told_us:
            return 0
        return self._told_us + round((now - self._told_at) * 1e6)
