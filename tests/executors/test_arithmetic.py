"""Sums are right: whole numbers of any size exactly, others as if rounded only once."""

import asyncio
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.core.errors import BadPayload
from windlass.executors.arithmetic import add_numbers, large_array_sum, total
from windlass.executors.base import Discard
from windlass.executors.handlers import from_function

FLOATS = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        (1, 2, 3),
        (1.5, 2, 3.5),
        (10**30, 1, 10**30 + 1),
        (-(2**63), -1, -(2**63) - 1),
        (0.1, 0, 0.1),
    ],
)
def test_two_numbers_are_added(x: float, y: float, expected: float) -> None:
    executor = from_function(add_numbers, {})

    added = asyncio.run(executor.call(executor.validate({"x": x, "y": y}), None))

    assert added == {"sum": expected}
    assert executor.encode(added) == f'{{"sum":{expected}}}'


@pytest.mark.parametrize(
    "payload", [{"x": "1", "y": 2}, {"x": True, "y": 2}, {"x": 1}, {"x": None}]
)
def test_what_is_no_number_is_refused_when_it_is_enqueued(payload: object) -> None:
    executor = from_function(add_numbers, {})

    with pytest.raises(BadPayload):
        executor.validate(payload)


@given(st.lists(st.integers()))
def test_many_whole_numbers_are_added_exactly(numbers: list[int]) -> None:
    assert large_array_sum(list(numbers)) == {"sum": sum(numbers)}


@given(st.lists(FLOATS))
def test_the_order_of_floats_does_not_matter(numbers: list[float]) -> None:
    there_and_back = total(numbers), total(numbers[::-1])

    assert there_and_back[0] == there_and_back[1]
    assert there_and_back[0] == (float(sum(map(Fraction, numbers))) if numbers else 0)


def test_a_sum_that_no_float_can_hold_fails_for_good() -> None:
    with pytest.raises(Discard, match="too large"):
        large_array_sum([10**400, 1.5])
    with pytest.raises(Discard, match="too large"):
        large_array_sum([1.7e308, 1.7e308])


def test_nothing_adds_up_to_nothing() -> None:
    assert large_array_sum([]) == {"sum": 0}
    assert math.copysign(1, float(total([]))) == 1
