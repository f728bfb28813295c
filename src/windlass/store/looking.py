"""How to look at rows that no index knows: in quick portions, for so many rows or so long."""

from __future__ import annotations

from windlass.clock import Clock

# A look ends after so many rows, or so many seconds.
MOST = 50_000
PATIENCE = 0.5
# Payloads may be large: a look begins with few rows, and takes more while they are quick.
FEW, MANY = 200, 5_000
QUICK = 0.05


class Looking:
    """How far a look has come, and how many rows to read next."""

    def __init__(self, clock: Clock) -> None:
        """Begin now."""
        self._clock = clock
        self._began = self._since = clock.monotonic()
        self.portion = FEW
        self.looked = 0

    def over(self, rows: int) -> bool:
        """Whether to stop, after so many rows more."""
        now = self._clock.monotonic()
        self.portion = more(self.portion, now - self._since)
        self.looked += rows
        self._since = now
        return self.looked >= MOST or now - self._began >= PATIENCE


def more(rows: int, took: float) -> int:
    """How many rows to look at next, so that each portion is quick."""
    if took > QUICK:
        return max(rows // 2, FEW)
    return min(rows * 2, MANY)
