"""Acts on whatever piled up while it acted before: large batches under load, and no timer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Generic, TypeAlias, TypeVar

from windlass.running import running_loop

A = TypeVar("A")
B = TypeVar("B")

Waiting: TypeAlias = list[tuple[A, asyncio.Future[B]]]


class Pile(Generic[A, B]):
    """Lets concurrent callers share one action, and answers each with its own part.

    A caller that goes away does not stop an action that has begun; one that fails, fails for all
    its callers. As long as they come one by one, each acts for itself, which spares it a task and a
    turn of the event loop; who goes away then takes its own action along.
    """

    def __init__(self, act: Callable[[list[A]], Awaitable[list[B]]]) -> None:
        """`act` answers with as many things as it is given, in the same order."""
        self._act = act
        self._waiting: Waiting[A, B] = []
        self._one_by_one = False  # nobody else was there when last somebody acted
        self._alone: asyncio.Future[None] | None = None
        # Of its own, and held here: the callers can all be gone before it ends.
        self._acting: asyncio.Task[None] | None = None

    async def add(self, item: A) -> B:
        """Put one thing on the pile; answer when it was acted upon."""
        loop = running_loop()
        if loop is None:
            [alone] = await self._act([item])
            return alone
        idle = self._acting is None and self._alone is None
        if idle and self._one_by_one:
            return await self._act_alone(item, loop.create_future())
        answer: asyncio.Future[B] = loop.create_future()
        self._waiting.append((item, answer))
        if idle:
            self._begin(loop)
        return await answer

    async def close(self) -> None:
        """Wait for the action that is under way, and for what was put on the pile before."""
        while under_way := self._alone or self._acting:
            await asyncio.wait({under_way})

    async def _act_alone(self, item: A, ended: asyncio.Future[None]) -> B:
        self._alone = ended
        try:
            [answer] = await self._act([item])
        finally:
            self._alone = None
            ended.set_result(None)
            if self._waiting:
                self._begin(ended.get_loop())
        return answer

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        self._acting = loop.create_task(self._act_on_all())
        self._acting.add_done_callback(self._ended)

    async def _act_on_all(self) -> None:
        while waiting := [one for one in self._waiting if not one[1].done()]:
            self._waiting = []
            self._one_by_one = len(waiting) == 1
            try:
                _deliver(waiting, await self._act([item for item, _ in waiting]))
            except Exception as problem:  # noqa: BLE001 — it is the callers' to handle
                _fail(waiting, problem)
            except BaseException:
                self._waiting = [*waiting, *self._waiting]
                raise
        self._waiting, self._acting = [], None

    def _ended(self, acting: asyncio.Task[None]) -> None:
        """Let nobody wait for an action that was cut short, as when its event loop shuts down."""
        if not acting.cancelled() and acting.exception() is None:
            return
        cut_off, self._waiting, self._acting = self._waiting, [], None
        for _, answer in cut_off:
            answer.cancel()


def _deliver(waiting: Waiting[A, B], answers: Iterable[B]) -> None:
    """Give each caller that is still there its part of what was answered."""
    for (_, answer), part in zip(waiting, answers, strict=True):
        if not answer.done():
            answer.set_result(part)


def _fail(waiting: Waiting[A, B], problem: Exception) -> None:
    for _, answer in waiting:
        if not answer.done():
            answer.set_exception(problem)
