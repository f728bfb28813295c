"""Until when a worker may act upon its claims."""

from __future__ import annotations

import mmap
import os
import tempfile
from typing import Protocol

from windlass.clock import Clock

# One double, written and read at once, so that no reader ever sees half of a deadline.
SIZE = 8
NEVER = 0.0  # the monotonic clock is past it, and fresh memory says it


class Lease(Protocol):
    """A node's lease as its workers see it. Deadlines are monotonic seconds of this machine."""

    @property
    def deadline(self) -> float:
        """Until when claims may be acted upon."""
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

    @property
    def deadline(self) -> float:
        """Until when claims may be acted upon."""
        return self._deadline

    def trusted(self) -> bool:
        """Whether claims may be acted upon now."""
        return self._clock.monotonic() < self._deadline

    def extend(self, until: float) -> None:
        """Trust it until then."""
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
        self._deadline = memoryview(mmap.mmap(fd, SIZE)).cast("d")

    @property
    def deadline(self) -> float:
        """Until when claims may be acted upon."""
        return self._deadline[0]

    def trusted(self) -> bool:
        """Whether claims may be acted upon now."""
        return self._clock.monotonic() < self._deadline[0]

    def extend(self, until: float) -> None:
        """Trust it until then."""
        self._deadline[0] = until

    def revoke(self) -> None:
        """Trust it no more."""
        self._deadline[0] = NEVER


def shared_memory() -> int:
    """A file descriptor to hand to children; what stands behind it grants nothing yet."""
    with tempfile.TemporaryFile() as file:
        fd = os.dup(file.fileno())
    os.ftruncate(fd, SIZE)
    return fd
