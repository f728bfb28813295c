"""What a bell promises: little, and never an error."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from windlass.core.herald import Herald

# Words that a ring may carry beside the names of queues; no queue's name begins with "@".
EVERY = "*"  # something changed somewhere: look everywhere
LATER = "@later"  # a job was scheduled that is due sooner than the next look
ASKED = "@asked"  # somebody asked a running job to stop
CHANGED = "@changed"  # a queue was resumed, or a type became known: parked jobs may be free
WIDE = "@wide"  # some of these jobs may ask for threads; without it none does


class Ear(Protocol):
    """One who listens."""

    async def wait(self) -> Sequence[str]:
        """Return once it rang, with the words of every ring since the last call, each once."""
        ...


class Bell(Protocol):
    """Wakes those who wait for jobs sooner than their next look."""

    async def ring(self, words: Sequence[str], jobs: int = 1) -> None:
        """Wake whoever serves these queues, soon: as many workers as there are jobs, or more.

        Never raises, and waits for nobody.
        """
        ...

    def herald(self, words: Sequence[str]) -> Herald | None:
        """The same for a commit to take along, where that is sooner and holds up nobody."""
        ...

    def listen(self) -> AbstractAsyncContextManager[Ear]:
        """Hear every ring from now on, after a lost connection at least an `EVERY`."""
        ...

    async def close(self) -> None:
        """Send what was rung already, and let go of connections."""
        ...
