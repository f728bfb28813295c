"""What a bell promises: little, and never an error."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from windlass.core.herald import HANDED, Herald

# Words that a ring may carry beside the names of queues; no queue's name begins with "@".
EVERY = "*"  # something changed somewhere: look everywhere
LATER = "@later"  # a job was scheduled that is due sooner than the next look
ASKED = "@asked"  # somebody asked a running job to stop
CHANGED = "@changed"  # a queue was resumed, or a type became known: parked jobs may be free
WIDE = "@wide"  # some of these jobs may ask for threads; without it none does
NEAR = "@near"  # what is for who listens by name is heard from now on; it may have missed some …
FAR = "@far"  # … and from now on not
# What is no matter of queues: nodes see to it, whether their workers have room or not.
PUBLIC = frozenset({ASKED, CHANGED, LATER})


def wakes(words: Sequence[str]) -> bool:
    """Whether jobs may be waiting."""
    return any(not word.startswith("@") for word in words)


def wide(words: Sequence[str]) -> bool:
    """Whether some of those jobs may ask for threads."""
    return EVERY in words or WIDE in words


def in_public(words: Sequence[str]) -> list[str]:
    """The words as logs may have them: what a job says is between those whom it concerns."""
    return [HANDED if word.startswith(HANDED) else word for word in words]


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
        """The same for the commit of a lone job that comes after a pause, if it is to wake one."""
        ...

    def listen(self, name: str | None = None) -> AbstractAsyncContextManager[Ear]:
        """Hear every ring from now on, after a lost connection at least an `EVERY`.

        Who has a name also hears what is for it alone, whenever it is `NEAR`.
        """
        ...

    async def close(self) -> None:
        """Send what was rung already, and let go of connections."""
        ...
