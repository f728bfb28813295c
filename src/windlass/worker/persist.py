"""Sends things to the store until it answers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from windlass.clock import Chance
from windlass.core.errors import Busy, StoreAway

T = TypeVar("T")

FIRST_PAUSE = 0.05
# After a long outage a fleet comes back over three seconds, and not all at once.
LAST_PAUSE = 3.0

# What passes by itself.
AWAY = (StoreAway, Busy)


class Unfit(Exception):
    """The store answered that it cannot do this; sending the same again is no use."""


class Patience:
    """Pauses that double, jittered, lest all workers come back to a database at once."""

    def __init__(self, chance: Chance) -> None:
        """Begin with the shortest."""
        self._chance = chance
        self._longest = FIRST_PAUSE

    def reset(self) -> None:
        """Begin anew."""
        self._longest = FIRST_PAUSE

    async def pause(self) -> None:
        """Wait, and the next time longer."""
        longest, self._longest = self._longest, min(2 * self._longest, LAST_PAUSE)
        await asyncio.sleep(longest * (0.5 + 0.5 * self._chance.random()))


async def ask(question: Awaitable[T]) -> T:
    """Ask the store once; raises `StoreAway` or `Busy` for what passes, `Unfit` for the rest."""
    try:
        return await question
    except AWAY:
        raise
    except Exception as error:
        # A worker outlives an answer it does not understand, and tells it from an outage.
        raise Unfit(f"{type(error).__name__}: {error}") from error
