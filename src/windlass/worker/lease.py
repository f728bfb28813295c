"""Until when a worker may act upon its claims."""

from __future__ import annotations

import mmap
from typing import Protocol

from windlass.clock import Clock
from windlass.worker.memory import SIZE

NEVER = 0.0  # the monotonic clock is past it, and fresh memory says it


class Lease(Protocol):
    """A node's lease as its workers see it. Deadlines are monotonic seconds of this machine."""

    @property
    def deadline(self) -> float:
        """Until when claims may be acted upon."""
        ...

    @property
    def lapses(self) -> float:
        """How often it was extended after it could not be trusted: so often claims were at risk."""
        ...

    def trusted(self) -> bool:
        """Whether claims may be acted upon now."""
        ...

    def extend(self, until: float) -> None:
        """Trust it until then."""
        ...

    def revoke(self) -> None:
        """Trust it no more, until it is extended."""
        ...


class LocalLease:
    """A lease that is renewed in the worker's own process, on whichever thread."""

    def __init__(self, clock: Clock) -> None:
        """Begin without trust: nothing has been granted yet."""
        self._clock = clock
        self._deadline = NEVER
        self._lapses = 0

    @property
    def deadline(self) -> float:
        """Until when claims may be acted upon."""
        return self._deadline

    @property
    def lapses(self) -> float:
        """How often it was extended after it could not be trusted."""
        return self._lapses

    def trusted(self) -> bool:
        """Whether claims may be acted upon now."""
        return self._clock.monotonic() < self._deadline

    def extend(self, until: float) -> None:
        """Trust it until then."""
        self._lapses += not self.trusted()
        self._deadline = until

    def revoke(self) -> None:
        """Trust it no more."""
        self._deadline = NEVER


class SharedLease:
    """A lease that a supervisor renews for its children, in memory that they share.

    A child finds the deadline there however busy its event loop is, and a supervisor that hangs
    lets it pass.
    """

    def __init__(self, fd: int, clock: Clock) -> None:
        """Share what stands behind the file descriptor, one that `shared_memory` made."""
        self._clock = clock
        self._shared = memoryview(mmap.mmap(fd, SIZE)).cast("d")

    @property
    def deadline(self) -> float:
        """Until when claims may be acted upon."""
        return self._shared[0]

    @property
    def lapses(self) -> float:
        """How often it was extended after it could not be trusted."""
        return self._shared[1]

    def trusted(self) -> bool:
        """Whether claims may be acted upon now."""
        return self._clock.monotonic() < self._shared[0]

    def extend(self, until: float) -> None:
        """Trust it until then; a lapse is there to be seen before the trust that came after it."""
        self._shared[1] += not self.trusted()
        self._shared[0] = until

    def revoke(self) -> None:
        """Trust it no more."""
        self._shared[0] = NEVER
