"""`ctx.transaction()`: effects and the end of the attempt in one commit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from types import TracebackType
from typing import Any

from windlass.clock import Clock
from windlass.core.errors import BadInput
from windlass.core.settle import Settlement, done
from windlass.store.base import Effects
from windlass.worker.attempt import Attempt
from windlass.worker.notes import Notes


class Opener:
    """Opens blocks for the attempts of one worker, on its loop and in its threads."""

    def __init__(self, effects: Effects, notes: Notes, clock: Clock) -> None:
        """Know the loop that notes are kept on."""
        self.effects = effects
        self.notes = notes
        self.clock = clock
        self.loop = asyncio.get_running_loop()

    def open(self, attempt: Attempt, result: Callable[[], Any]) -> Block:
        """A block that settles the attempt at its end."""
        return Block(self, attempt, result)


class Block:
    """One block: `async with` in a coroutine, `with` in a plain function."""

    def __init__(self, opener: Opener, attempt: Attempt, result: Callable[[], Any]) -> None:
        """Nothing begins before the block is entered."""
        self._opener = opener
        self._attempt = attempt
        self._result = result
        self._async: AbstractAsyncContextManager[Any] | None = None
        self._plain: AbstractContextManager[Any] | None = None

    async def __aenter__(self) -> Any:
        """Begin."""
        # Now: inside of the block an embedded store has no other writer, after it no claim is good.
        await self._opener.notes.flush([self._attempt.claim])
        self._async = self._opener.effects.block(self._settlement)
        return await self._async.__aenter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        """Settle and commit, or roll back."""
        if self._async is None:
            raise RuntimeError("a block that was not entered cannot end")
        hushed = await self._async.__aexit__(kind, error, trace)
        self._attempt.settled = kind is None
        return hushed

    def __enter__(self) -> Any:
        """Begin."""
        if _on_a_loop():
            raise BadInput("in a coroutine it is `async with ctx.transaction()`")
        flush = self._opener.notes.flush([self._attempt.claim])
        asyncio.run_coroutine_threadsafe(flush, self._opener.loop).result()
        self._plain = self._opener.effects.blocking(self._settlement)
        return self._plain.__enter__()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        """Settle and commit, or roll back."""
        if self._plain is None:
            raise RuntimeError("a block that was not entered cannot end")
        hushed = self._plain.__exit__(kind, error, trace)
        self._attempt.settled = kind is None
        return hushed

    def _settlement(self) -> Settlement:
        attempt = self._attempt
        result = attempt.executor.encode(self._result())
        return done(attempt.claim, result, attempt.started, self._opener.clock.monotonic())


def _on_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
