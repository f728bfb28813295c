"""Sums are right: whole numbers of any size exactly, others as if rounded only once."""

import asyncio
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.executors.attempts import Desk, context
from windlass.core.errors import BadPayload
from windlass.executors.arithmetic import add_numbers, large_array_sum, subtotal, total
from windlass.executors.base import Discard
from windlass.executors.chunks import split
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


@given(st.lists(st.integers()), st.integers(1, 9))
def test_many_whole_numbers_are_added_exactly(numbers: list[int], chunks: int) -> None:
    assert in_chunks(numbers, chunks) == sum(numbers)


@given(st.lists(FLOATS | st.integers(-(2**200), 2**200)), st.integers(1, 9))
def test_floats_are_rounded_once_however_they_are_cut(
    numbers: list[int | float], chunks: int
) -> None:
    exact = sum(map(Fraction, numbers))

    assert in_chunks(numbers, chunks) == exact or in_chunks(numbers, chunks) == float(exact)
    assert in_chunks(numbers, chunks) == in_chunks(numbers[::-1], 1)


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([], 0),
        ([1e16, 1.0, -1e16], 1.0),
        ([0.1] * 10, 1.0),
        ([1e308, -1e308, 1e-300], 1e-300),
        ([10**30, -(10**30)], 0),
        ([10**30, 0.5], 1e30),
        ([10**16 + 1, 0.1, 0.2, 0.3], 10_000_000_000_000_002.0),
        ([2**53 + 1, -(2.0**53)], 1.0),
    ],
)
@pytest.mark.parametrize("chunks", [1, 2, 3, 10])
def test_known_sums(numbers: list[int | float], expected: float, chunks: int) -> None:
    assert in_chunks(numbers, chunks) == expected


@pytest.mark.parametrize("numbers", [[10**400, 1.5], [1.7e308, 1.7e308]])
def test_a_sum_that_no_float_can_hold_fails_for_good(numbers: list[int | float]) -> None:
    with pytest.raises(Discard, match="too large"):
        large_array_sum(numbers, context())


def test_more_threads_are_not_used_where_they_would_cost_time() -> None:
    desk = Desk()

    added = large_array_sum([*range(500_000)], context(desk, threads=8))

    assert added == {"sum": 124_999_750_000}
    assert desk.shared is None


def in_chunks(numbers: list[int] | list[int | float], chunks: int) -> int | float:
    """The sum, by way of so many chunks."""
    return total(map(subtotal, split(numbers, chunks)))
