"""Whether the service is about to stop."""

from __future__ import annotations

import asyncio


class Drain:
    """Begins once, when the service is asked to stop, and never ends."""

    __slots__ = ("_begun",)

    def __init__(self) -> None:
        """Serve, as yet."""
        self._begun = asyncio.Event()

    @property
    def begun(self) -> bool:
        """Whether no new request is taken any more."""
        return self._begun.is_set()

    def begin(self) -> None:
        """Take no new request; those that were taken go on."""
        self._begun.set()

    async def wait(self) -> None:
        """Return when it begins, for answers that would go on for ever."""
        await self._begun.wait()
