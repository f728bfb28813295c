"""Leaves a host alone that fails time and again."""

from __future__ import annotations

# So many failures in a row, and the host has rest for so long.
FAILURES = 5
REST = 30.0
# Then one request finds out how it is; if nothing is heard of that one, another may.
PROBE_WITHIN = 5.0


class Breaker:
    """Counts failures in a row. Times are monotonic seconds."""

    __slots__ = ("_probe_until", "_rest_until", "failures", "rests")

    def __init__(self) -> None:
        """Expect the best."""
        self.failures = 0
        self.rests = 0  # in a row
        self._rest_until = 0.0
        self._probe_until = 0.0

    def resting(self, now: float) -> float:
        """Seconds for which the host is still to be left alone."""
        return max(0.0, self._rest_until - now) if self.rests else 0.0

    def admit(self, now: float) -> float:
        """Let a request through with 0, or say after how many seconds to ask again.

        After a rest one is let through, and the others wait for what becomes of it.
        """
        if not self.rests:
            return 0.0
        if now < max(self._rest_until, self._probe_until):
            return max(self._rest_until, self._probe_until) - now
        self._probe_until = now + PROBE_WITHIN
        return 0.0

    def succeeded(self) -> None:
        """The host is well."""
        self.failures = self.rests = 0

    def failed(self, now: float) -> None:
        """The host did not answer, or said that it cannot."""
        self.failures += 1
        if self.resting(now):
            return  # begun before the rest was
        if self.rests or self.failures >= FAILURES:
            self.rests += 1
            self._rest_until = now + REST
