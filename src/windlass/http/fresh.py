"""Something that others decide and we remember: asked for again when it is old, never in crowds."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from msgspec import Struct

from windlass.clock import Clock
from windlass.core.errors import WindlassError
from windlass.http.problems import Refusal

T = TypeVar("T")


class Ages(Struct, frozen=True):
    """How old an answer may be, in seconds."""

    fresh: float  # from here on it is asked for again
    between: float  # but never sooner than this after the last time
    good: float  # from here on it is good for nothing


class Fresh(Generic[T]):
    """The last answer, as long as it is good for something."""

    def __init__(self, ask: Callable[[T | None], Awaitable[T]], clock: Clock, ages: Ages) -> None:
        """`ask` gets the last answer and gives the next, or raises a refusal."""
        self._ask = ask
        self._clock = clock
        self._ages = ages
        self._asking = asyncio.Lock()
        self._answer: tuple[T, float] | None = None
        self._asked = float("-inf")
        self._problem: Exception | None = None
        self._told = 0  # how often there was an answer or a problem

    async def get(self, *, anew: bool = False) -> T:
        """The answer; with `anew` asked for again, unless that was just done."""
        if anew or self._age() >= self._ages.fresh:
            await self._renew()
        if self._answer is not None and self._age() < self._ages.good:
            return self._answer[0]
        problem = self._problem or AssertionError("asked without an answer or a problem")
        # The same one for everybody: with its traceback it would keep what each of them held.
        raise problem.with_traceback(None)

    async def _renew(self) -> None:
        # One asks; the others go on with what is known, and wait only if nothing is.
        if self._asking.locked() and self._age() < self._ages.good:
            return
        told = self._told
        async with self._asking:
            # Who waited takes what was told meanwhile, or a long line would ask one by one.
            soon = self._clock.monotonic() < self._asked + self._ages.between
            if told == self._told and not soon:
                await self._ask_now()

    async def _ask_now(self) -> None:
        before, self._asked = self._asked, self._clock.monotonic()
        try:
            self._answer = await self._ask(self._answer and self._answer[0]), self._asked
        except (WindlassError, Refusal) as problem:
            self._problem = problem
        except BaseException:
            # Whoever asked was interrupted, so the next one asks.
            self._asked = before
            raise
        self._told += 1

    def _age(self) -> float:
        return float("inf") if self._answer is None else self._clock.monotonic() - self._answer[1]
