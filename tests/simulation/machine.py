"""A simulated machine: its clock is wrong, and its chance comes from the seed."""

from __future__ import annotations

from random import Random

from tests.simulation.kernel import Kernel
from windlass.core.job import JobId

# Where virtual time begins: ids carry it, and it must be past.
EPOCH_US = 1_800_000_000_000_000


class MachineClock:
    """Time as one machine sees it; only the database's own time decides anything."""

    def __init__(self, kernel: Kernel, *, skew: float = 0.0, offset: float = 0.0) -> None:
        self._kernel = kernel
        self._skew = skew
        self.offset = offset

    def now_us(self) -> int:
        """Wall-clock microseconds, wrong by the skew."""
        return EPOCH_US + round((self._kernel.now + self._skew) * 1_000_000)

    def monotonic(self) -> float:
        """Seconds since the machine started."""
        return self._kernel.now + self.offset


class DatabaseClock:
    """The database's own time, which may be set while it runs."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._set_by = 0.0

    def now_us(self) -> int:
        """Microseconds since 1970."""
        return EPOCH_US + round((self._kernel.now + self._set_by) * 1_000_000)

    def monotonic(self) -> float:
        """Seconds since it started."""
        return self._kernel.now

    def jump(self, seconds: float) -> None:
        """Somebody sets it."""
        self._set_by += seconds


class Seeded:
    """Chance of one process: the same seed and name, the same draws, whatever others draw."""

    def __init__(self, seed: int, name: str) -> None:
        self._random = Random(f"{seed}/{name}")
        self._name = name
        self._made = 0
        self.random = self._random.random

    def job_id(self) -> JobId:
        """An id that sorts by the order in which this process made it."""
        self._made += 1
        return JobId(f"01900000-{self._made:04x}-7000-8000-{self._random.getrandbits(48):012x}")

    def token(self) -> str:
        """A name that says whose it is, for those who read stories."""
        self._made += 1
        return f"{self._name}-{self._made}-{self._random.getrandbits(32):08x}"

    def secret(self) -> str:
        """Nothing here has to be kept from anybody."""
        return self.token()
