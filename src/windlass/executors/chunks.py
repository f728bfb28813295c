"""Cuts work into chunks that can be done side by side."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable
from typing import Any, Protocol

from windlass.core.errors import BadInput


class Items(Protocol):
    """What can be cut: a list, a range, an array."""

    def __len__(self) -> int: ...

    def __getitem__(self, part: slice, /) -> Any: ...


def split(items: Items, count: int) -> list[Any]:
    """So many chunks of nearly the same size, in order; one at least, though it be empty."""
    count = max(count, 1)
    size = len(items)
    return [items[size * at // count : size * (at + 1) // count] for at in range(count)]


def refuse_unshared(work: Callable[[Any], Any]) -> None:
    """Refuse work that another process could not import, whether one is needed or not."""
    if getattr(work, "__module__", None) == "__main__":
        raise BadInput(
            f"{work!r} is defined in the program itself, which other processes do not run;"
            " define it in a module"
        )
    try:
        pickle.dumps(work)
    except (pickle.PicklingError, AttributeError, TypeError) as problem:
        raise BadInput(
            f"{work!r} cannot be handed to another process ({problem});"
            " define it with `def` at the top of a module"
        ) from None
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise BadInput(
        "map_chunks waits for its results and would stop the event loop;"
        " write the handler without async, or `await asyncio.to_thread(ctx.map_chunks, …)`"
    )
