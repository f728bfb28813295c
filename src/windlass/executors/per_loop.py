"""Something that is open on an event loop: made when first needed there, closed when given up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Generic, Protocol, TypeVar
from weakref import WeakKeyDictionary


class Closes(Protocol):
    """Something that can be closed."""

    async def close(self) -> None:
        """Let go of whatever is open."""
        ...


T = TypeVar("T", bound=Closes)


class _Held(Generic[T]):
    __slots__ = ("given_up", "thing", "users")

    def __init__(self, thing: T) -> None:
        self.thing = thing
        self.users = 0
        self.given_up = False


class PerLoop(Generic[T]):
    """One for each event loop; whoever uses it when it is given up may finish first."""

    def __init__(self, make: Callable[[], T]) -> None:
        """Make nothing yet."""
        self._make = make
        self._held: WeakKeyDictionary[asyncio.AbstractEventLoop, _Held[T]] = WeakKeyDictionary()

    @asynccontextmanager
    async def use(self) -> AsyncIterator[T]:
        """The one of the running loop."""
        loop = asyncio.get_running_loop()
        held = self._held.get(loop)
        if held is None:
            held = self._held[loop] = _Held(self._make())
        held.users += 1
        try:
            yield held.thing
        finally:
            held.users -= 1
            if held.given_up and not held.users:
                await held.thing.close()

    async def close(self) -> None:
        """Give up the one of the running loop: its last user closes it."""
        held = self._held.pop(asyncio.get_running_loop(), None)
        if held is None:
            return
        held.given_up = True
        if not held.users:
            await held.thing.close()
