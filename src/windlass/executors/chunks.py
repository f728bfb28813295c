"""Cuts work into chunks that can be done side by side."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable, Iterator
from itertools import accumulate, pairwise
from typing import Any, Protocol

from windlass.core.errors import BadInput

# The first chunk is such a part of all, each of the next ones so many times larger than the one
# before; the last chunks are such a part of what each has to do. That makes 14 for two at once.
FIRST = 1024
GROWTH = 16
LAST = 64


class Items(Protocol):
    """What can be cut: a list, a range, an array."""

    def __len__(self) -> int: ...

    def __getitem__(self, part: slice, /) -> Any: ...


def split(items: Items, at_once: int, at_least: int = 1) -> list[Any]:
    """Chunks in order, for so many to take one each, and the next when done; one may be empty.

    They grow from a thousandth of all, by which the work can be judged, and shrink towards the end,
    so that nobody waits long for the last. The cut depends on nothing but these numbers.
    """
    ends = list(accumulate(_sizes(len(items), at_once, max(at_least, 1)), initial=0))
    return [items[begin:end] for begin, end in pairwise(ends)]


def _sizes(count: int, at_once: int, at_least: int) -> Iterator[int]:
    if at_once == 1 or count < 2 * at_least:
        yield count
        return
    grown, smallest = max(count // FIRST, at_least), max(count // (LAST * at_once), at_least)
    while count >= 2 * smallest:
        size = min(grown, max(2 * count // (3 * at_once), smallest))
        yield size
        count -= size
        grown *= GROWTH
    yield count


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
