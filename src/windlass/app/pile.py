"""Acts on whatever piled up while it acted before: large batches under load, and no timer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Any, Generic, TypeVar

from windlass.running import running_loop

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
        self._waiting: list[tuple[A, asyncio.Future[B]]] = []
        self._next: asyncio.Task[list[B]] | None = None
        self._acting: asyncio.Task[Any] | None = None
        self._turn = asyncio.Lock()

    async def add(self, item: A) -> B:
        """Put one thing on the pile; answer when it was acted upon."""
        loop = running_loop()
        if loop is None:
            [alone] = await self._act([item])
            return alone
        # One of its own, which costs half of what it would to shield the task from each caller.
        answer: asyncio.Future[B] = loop.create_future()
        self._waiting.append((item, answer))
        if self._next is None:
            self._next = asyncio.create_task(self._take_turn())
            self._next.add_done_callback(partial(_deliver, self._waiting))
        return await answer

    async def close(self) -> None:
        """Wait for the action that is under way, and for what was put on the pile before."""
        if self._next is not None:
            await asyncio.wait({self._next})
        async with self._turn:
            return

    async def _take_turn(self) -> list[B]:
        async with self._turn:
            # Nobody else may hold on to this task: its callers can all be gone.
            self._acting = asyncio.current_task()
            waiting, self._waiting, self._next = self._waiting, [], None
            return await self._act([item for item, _ in waiting])


def _deliver(waiting: Iterable[tuple[A, asyncio.Future[B]]], acted: asyncio.Task[list[B]]) -> None:
    """Give each caller that is still there its part of what was answered."""
    problem = None if acted.cancelled() else acted.exception()
    for place, (_, answer) in enumerate(waiting):
        if answer.done():
            continue
        if acted.cancelled():
            answer.cancel()
        elif problem is not None:
            answer.set_exception(problem)
        else:
            answer.set_result(acted.result()[place])
