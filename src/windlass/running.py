"""Which event loop runs in this thread, if any, and how to do without one."""

from __future__ import annotations

import asyncio
from asyncio import _get_running_loop
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


# The event loop to keep free; none in a thread that may wait for itself. What get_running_loop asks
# first: the error that it raises without one would cost more than the question.
running_loop: Callable[[], asyncio.AbstractEventLoop | None] = _get_running_loop


def at_once(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run, in this thread, a coroutine that has nothing to wait for."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        answer: T = stop.value
        return answer
    coroutine.close()
    raise RuntimeError("it waited for something after all")
