"""How long to wait before the next attempt."""

from __future__ import annotations

from dataclasses import dataclass

from windlass.core.errors import BadInput

# Beyond this exponent every sensible base has met its cap, and a float would overflow near 1,024.
MAX_DOUBLINGS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Exponential delays with a cap and up to a tenth of jitter: 2 s, 4 s, 8 s … 1 h by default."""

    base: float = 2.0
    factor: float = 2.0
    cap: float = 3600.0
    jitter: float = 0.1

    def __post_init__(self) -> None:
        """Refuse a policy that would retry in the past or for ever."""
        if not (0 < self.base <= self.cap and self.factor >= 1 and 0 <= self.jitter <= 1):
            raise BadInput(
                f"backoff needs 0 < base <= cap, factor >= 1 and jitter in 0..1; got base={self.base},"
                f" cap={self.cap}, factor={self.factor}, jitter={self.jitter}"
            )

    def delay(self, failures: int, *, chance: float, at_least: float = 0.0) -> float:
        """Seconds to wait after this many failures; `chance` in 0..1 decides the jitter."""
        doublings = min(max(failures, 1) - 1, MAX_DOUBLINGS)
        plain = min(self.cap, self.base * self.factor**doublings)
        return max(plain * (1 + self.jitter * chance), at_least)


DEFAULT_BACKOFF = Backoff()
