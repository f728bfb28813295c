"""Tokens: one is for one worker, so that one job wakes one worker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Protocol, TypeAlias

from msgspec import Struct

# Wakes a worker, with the words that its token carries.
Wake: TypeAlias = Callable[[Sequence[str]], None]
# Says whether a worker could take more jobs than it has.
HasRoom: TypeAlias = Callable[[bool], None]


class Kind(Struct, frozen=True):
    """What a worker can take: of those of one kind, any will do."""

    name: str  # the same for the same types and queues
    queues: Sequence[str] | None = None  # None: every queue


class Tokens(Protocol):
    """Where workers wait, each for itself; promises nothing, and never raises."""

    def taking(self, kind: Kind, wake: Wake) -> AbstractAsyncContextManager[HasRoom]:
        """Have a worker woken by tokens for its kind while it says that it has room."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


class NoTokens:
    """There are none: a worker is woken by its node, which hears every ring."""

    def taking(self, kind: Kind, wake: Wake) -> AbstractAsyncContextManager[HasRoom]:  # noqa: ARG002
        """Wake nobody."""
        return nullcontext(_nobody_asks)

    async def close(self) -> None:
        """Hold nothing."""


def _nobody_asks(_: bool) -> None:  # noqa: FBT001
    """Nobody wants to know."""
