"""Words that were heard and not yet taken: the ear of every bell."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from windlass.bell.base import EVERY

# Beyond this many queues it is cheaper to look everywhere.
MAX_HEARD = 64


class Inbox:
    """Keeps each word once, however often it rings before somebody looks."""

    def __init__(self) -> None:
        """Begin with silence."""
        self._words: dict[str, None] = {}
        self._rung = asyncio.Event()

    def hear(self, words: Iterable[str]) -> None:
        """Keep the words and wake who waits; to be called on the event loop of the listener."""
        self._words.update(dict.fromkeys(words))
        if len(self._words) > MAX_HEARD:
            self._words = {EVERY: None}
        self._rung.set()

    async def wait(self) -> Sequence[str]:
        """Return once there are words."""
        await self._rung.wait()
        self._rung.clear()
        words, self._words = list(self._words), {}
        return words
