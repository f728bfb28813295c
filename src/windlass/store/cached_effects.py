"""Effects of handlers whose commit Redis is told of."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from windlass.core.job import JobId
from windlass.core.settle import Settlement
from windlass.store.base import Effects
from windlass.store.shelf import Shelf


class Finishing:
    """The settlement of a block, made once, and known to whoever comes after it."""

    def __init__(self, finish: Callable[[], Settlement]) -> None:
        """Make nothing yet: the block may not end well."""
        self._finish = finish
        self._made: Settlement | None = None

    def settlement(self) -> Settlement:
        """How the attempt ends."""
        self._made = self._made or self._finish()
        return self._made

    def ids(self) -> list[JobId]:
        """The job, if its attempt may have ended."""
        return [self._made.id] if self._made else []


class CachedEffects:
    """Blocks as they are, and a word to Redis before and after their commit."""

    def __init__(self, effects: Effects, shelf: Shelf) -> None:
        """Belong to the running event loop, as the shelf does."""
        self._effects = effects
        self._shelf = shelf
        self._loop = asyncio.get_running_loop()

    @asynccontextmanager
    async def block(self, finish: Callable[[], Settlement]) -> AsyncIterator[Any]:
        """A block for coroutines."""
        finishing = Finishing(finish)
        try:
            async with self._effects.block(finishing.settlement) as connection:
                yield connection
                await self._shelf.mark([finishing.settlement().id])
        finally:
            await self._shelf.changed(finishing.ids())

    @contextmanager
    def blocking(self, finish: Callable[[], Settlement]) -> Iterator[Any]:
        """The same for plain functions, on their own thread."""
        finishing = Finishing(finish)
        try:
            with self._effects.blocking(finishing.settlement) as connection:
                yield connection
                self._wait(self._shelf.mark([finishing.settlement().id]))
        finally:
            self._wait(self._shelf.changed(finishing.ids()))

    async def close(self) -> None:
        """Let go of the connections."""
        await self._effects.close()

    def _wait(self, telling: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(telling, self._loop).result()
