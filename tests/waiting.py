"""Wait for an event instead of for time."""

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable


async def until(
    condition: Callable[[], object | Awaitable[object]], at_most: float = 40.0, every: float = 0.005
) -> None:
    """Return once the condition, plain or async, is true; fail with its name if it never is."""
    deadline = time.monotonic() + at_most
    seen: object = None
    while time.monotonic() < deadline:
        seen = condition()
        if inspect.isawaitable(seen):
            seen = await seen
        if seen:
            return
        await asyncio.sleep(every)
    raise AssertionError(f"not within {at_most} s: {describe(condition)} (last seen: {seen!r})")


def describe(condition: Callable[[], object]) -> str:
    """Name the condition, or quote the lines of a lambda."""
    name = getattr(condition, "__qualname__", repr(condition))
    if "<lambda>" not in name:
        return name
    try:
        return " ".join(inspect.getsource(condition).split())
    except (OSError, TypeError):
        return name
