"""Words on their way out: gathered, so that many rings cost one message."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TypeAlias

Send: TypeAlias = Callable[[Sequence[str]], Awaitable[None]]

# The first ring goes at once, those behind it wait this long for company.
BREATH = 0.002
# Without a word for so long it is quiet.
QUIET = 0.01


class Outbox:
    """Sends the first word at once and the ones behind it together, one message per breath."""

    def __init__(self, send: Send, breath: float = BREATH) -> None:
        """Take a `send` that does not raise."""
        self._send = send
        self._breath = breath
        self._words: dict[str, None] = {}
        self._sending: asyncio.Task[None] | None = None
        self._quiet_from = 0.0

    @property
    def quiet(self) -> bool:
        """Whether nothing was sent lately, or is about to be."""
        idle = self._sending is None or self._sending.done()
        return idle and asyncio.get_running_loop().time() >= self._quiet_from

    def rest(self) -> None:
        """Take note of a word that went out by another way."""
        self._quiet_from = asyncio.get_running_loop().time() + QUIET

    def put(self, words: Iterable[str]) -> None:
        """Send the words soon."""
        self._words.update(dict.fromkeys(words))
        if self._words and (self._sending is None or self._sending.done()):
            self._sending = asyncio.create_task(self._run(), name="ring")

    async def flush(self) -> None:
        """Return once everything is sent."""
        if self._sending is not None:
            await self._sending

    async def _run(self) -> None:
        while self._words:
            words, self._words = list(self._words), {}
            await self._send(words)
            self.rest()
            await asyncio.sleep(self._breath)
