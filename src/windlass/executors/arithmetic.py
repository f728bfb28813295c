"""Adds numbers: two of them, or many."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import NamedTuple, TypeAlias

from windlass.executors.base import Discard
from windlass.executors.context import Context

Number: TypeAlias = int | float

# To send numbers to another process costs ten times what it costs to add them, so a process is
# worth its while for other work than this; a payload never has so many.
WORTH_A_PROCESS = 10_000_000
TOO_LARGE = "the sum is too large for a floating-point number"


async def add_numbers(x: Number, y: Number) -> dict[str, Number]:
    """Add two numbers; whole ones of any size, exactly."""
    return {"sum": total([subtotal([x, y])])}


def large_array_sum(numbers: list[Number], ctx: Context) -> dict[str, Number]:
    """Add many numbers; whole ones exactly, others as if rounded only once."""
    return {"sum": ctx.map_chunks(subtotal, numbers, reduce=total, at_least=WORTH_A_PROCESS)}


class Subtotal(NamedTuple):
    """What some numbers add up to, without any rounding."""

    whole: int
    parts: tuple[float, ...] | None  # None: there were whole numbers only


def subtotal(numbers: Sequence[Number]) -> Subtotal:
    """Add some of the numbers."""
    # Whole numbers alone make a whole number, and nothing adds them quicker.
    with suppress(OverflowError):
        if isinstance(quick := sum(numbers), int):
            return Subtotal(quick, None)
    floats = [number for number in numbers if isinstance(number, float)]
    whole = sum(number for number in numbers if isinstance(number, int))
    return Subtotal(whole, _exact(floats))


def total(subtotals: Iterable[Subtotal]) -> Number:
    """The sum, however the numbers were cut into chunks; `Discard` if no number can hold it."""
    every = list(subtotals)
    whole = sum(one.whole for one in every)
    parts = [one.parts for one in every if one.parts is not None]
    if not parts:
        return whole
    try:
        return math.fsum(chain(*parts, _in_floats(whole)))
    except OverflowError:
        raise Discard(TOO_LARGE) from None


def _in_floats(whole: int) -> Iterator[float]:
    """Floats that add up to exactly this: one alone would be rounded before the sum is."""
    while whole:
        part = float(whole)
        yield part
        whole -= int(part)


def _exact(floats: list[float]) -> tuple[float, ...]:
    """A few floats that add up to exactly what these do: the sum, and what its rounding left."""
    parts: list[float] = []
    try:
        while (rest := math.fsum(chain(floats, (-part for part in parts)))) != 0:
            parts.append(rest)
    except OverflowError:
        raise Discard(TOO_LARGE) from None
    return tuple(parts)
