"""What processes of a fleet call out to each other; who is out of earshot misses it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from typing import Protocol, TypeAlias

# Hears what is said; None after a time in which something may have been missed.
Hear: TypeAlias = Callable[[bytes | None], None]


class Hail(Protocol):
    """Says things to whoever listens, everywhere; promises nothing, and never raises."""

    @property
    def up(self) -> bool:
        """Whether what is said now is likely to be heard."""
        ...

    @property
    def lost(self) -> timedelta | None:
        """How long what carries it has been away; None if it is there, or if there is none."""
        ...

    async def say(self, subject: str, said: bytes) -> int:
        """Say it; answers how many heard it, this process included."""
        ...

    def hearing(self, subject: str, hear: Hear) -> AbstractContextManager[None]:
        """Have what is said on this subject heard while the block runs."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


class Silence:
    """Nobody hears anybody."""

    up = False
    lost = None

    async def say(self, subject: str, said: bytes) -> int:  # noqa: ARG002
        """Say it to nobody."""
        return 0

    def hearing(self, subject: str, hear: Hear) -> AbstractContextManager[None]:  # noqa: ARG002
        """Hear nothing."""
        return nullcontext()

    async def close(self) -> None:
        """Hold nothing."""
