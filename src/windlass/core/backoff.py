"""How long to wait before the next attempt."""

from __future__ import annotations

from msgspec import Struct

from windlass.core.duration import LONGEST
from windlass.core.errors import BadInput

# Beyond this exponent every sensible base has met its cap, and 1,000 to its power is still a float.
MAX_DOUBLINGS = 64
MAX_FACTOR = 1000


class Backoff(Struct, frozen=True, kw_only=True):
    """Exponential delays with a cap and up to a tenth of jitter: 2 s, 4 s, 8 s … 1 h by default."""

    base: float = 2.0
    factor: float = 2.0
    cap: float = 3600.0
    jitter: float = 0.1

    def __post_init__(self) -> None:
        """Refuse a policy that would retry in the past or for ever."""
        if not (
            0 < self.base <= self.cap <= LONGEST.total_seconds()
            and 1 <= self.factor <= MAX_FACTOR
            and 0 <= self.jitter <= 1
        ):
            raise BadInput(
                "backoff needs 0 < base <= cap (100 years at most), factor in 1..1000 and jitter in"
                f" 0..1; got base={self.base}, cap={self.cap}, factor={self.factor},"
                f" jitter={self.jitter}"
            )

    def delay(self, failures: int, *, chance: float, at_least: float = 0.0) -> float:
        """Seconds to wait after this many failures; `chance` in 0..1 decides the jitter."""
        doublings = min(max(failures, 1) - 1, MAX_DOUBLINGS)
        plain = min(self.cap, self.base * self.factor**doublings)
        return max(plain * (1 + self.jitter * chance), at_least)


DEFAULT_BACKOFF = Backoff()
