"""Blocks whose effects commit with the attempt, in virtual time.

The shipped block lends the writer's connection while the writer's thread stands still. Here what a
block does is carried out at its end, in one transaction, by the same `Turn`: nobody could write in
between there either.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from tests.simulation.database import Line
from windlass.clock import Clock
from windlass.core.settle import Settlement
from windlass.store.sqlite_effects import Turn
from windlass.store.sqlite_session import Session


class LateTurn:
    """Takes statements down, to be run when the block has ended."""

    def __init__(self) -> None:
        self.statements: list[tuple[str, Any]] = []

    async def execute(self, sql: str, args: Any = ()) -> None:
        """Run it later."""
        self.statements.append((sql, args))


class LateEffects:
    """`Effects` over a line."""

    def __init__(self, line: Line, clock: Clock) -> None:
        self._line = line
        self._clock = clock

    @asynccontextmanager
    async def block(self, finish: Callable[[], Settlement]) -> AsyncIterator[LateTurn]:
        """A block for coroutines."""
        late = LateTurn()
        yield late
        settlement, now = finish(), self._clock.monotonic()

        def work(session: Session) -> None:
            turn = Turn(session)
            for sql, args in late.statements:
                turn.run(sql, args)
            turn.settle(settlement, now)

        await self._line.perform(work)

    @contextmanager
    def blocking(self, finish: Callable[[], Settlement]) -> Iterator[None]:
        """Not simulated: plain functions open no blocks here."""
        raise NotImplementedError

    async def close(self) -> None:
        """Nothing is open."""
