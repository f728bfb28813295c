"""Adds numbers: two of them, or many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from typing import TypeAlias

from windlass.executors.base import Discard

Number: TypeAlias = int | float


async def add_numbers(x: Number, y: Number) -> dict[str, Number]:
    """Add two numbers; whole ones of any size, exactly."""
    return {"sum": total([x, y])}


def large_array_sum(numbers: list[Number]) -> dict[str, Number]:
    """Add many numbers; whole ones exactly, others as if rounded only once."""
    return {"sum": total(numbers)}


def total(numbers: Sequence[Number]) -> Number:
    """The sum, whatever the order of the numbers; `Discard` if no number can hold it."""
    whole = [number for number in numbers if isinstance(number, int)]
    if len(whole) == len(numbers):
        return sum(whole)
    parts = (number for number in numbers if isinstance(number, float))
    try:
        return math.fsum(chain(parts, [sum(whole)]))
    except OverflowError:
        raise Discard("the sum is too large for a floating-point number") from None
