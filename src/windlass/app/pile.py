"""Acts on whatever piled up while it acted before: large batches under load, and no timer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

A = TypeVar("A")
B = TypeVar("B")


class Pile(Generic[A, B]):
    """Lets concurrent callers share one action, and answers each with its own part.

    A caller that goes away does not stop the action; an action that fails, fails for all its
    callers.
    """

    def __init__(self, act: Callable[[list[A]], Awaitable[list[B]]]) -> None:
        """`act` answers with as many things as it is given, in the same order."""
        self._act = act
        self._waiting: list[A] = []
        self._next: asyncio.Task[list[B]] | None = None
        self._acting: asyncio.Task[Any] | None = None
        self._turn = asyncio.Lock()

    async def add(self, item: A) -> B:
        """Put one thing on the pile; answer when it was acted upon."""
        place = len(self._waiting)
        self._waiting.append(item)
        if self._next is None:
            self._next = asyncio.create_task(self._take_turn())
        answers = await asyncio.shield(self._next)
        return answers[place]

    async def close(self) -> None:
        """Wait for the action that is under way."""
        async with self._turn:
            return

    async def _take_turn(self) -> list[B]:
        async with self._turn:
            # Nobody else may hold on to this task: its callers can all be gone.
            self._acting = asyncio.current_task()
            items, self._waiting, self._next = self._waiting, [], None
            return await self._act(items)
