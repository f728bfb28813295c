"""What the rank promises: priority that waiting outweighs, and no row that is ever rewritten."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.core.errors import BadInput
from windlass.core.rank import DEFAULT_AGING, STRICT_AGING, parse_aging, rank

SECOND = 1_000_000
NOW = 1_700_000_000 * SECOND

moments = st.integers(NOW, NOW + 10**13)
priorities = st.integers(-100, 100)


@given(moments, priorities, priorities)
def test_of_two_jobs_due_at_once_the_higher_priority_goes_first(
    run_at: int, one: int, other: int
) -> None:
    low, high = sorted([one, other])

    assert rank(run_at, high, DEFAULT_AGING) <= rank(run_at, low, DEFAULT_AGING)


@given(moments, moments, priorities)
def test_of_two_jobs_of_one_priority_the_earlier_goes_first(
    one: int, other: int, priority: int
) -> None:
    early, late = sorted([one, other])

    assert rank(early, priority, DEFAULT_AGING) <= rank(late, priority, DEFAULT_AGING)


@given(moments, priorities)
def test_a_point_of_priority_is_worth_the_aging(run_at: int, priority: int) -> None:
    waited = run_at - DEFAULT_AGING // timedelta(microseconds=1)

    assert rank(waited, priority, DEFAULT_AGING) == rank(run_at, priority + 1, DEFAULT_AGING)


@given(moments, moments, priorities)
def test_no_waiting_outweighs_a_point_of_strict_priority(
    one: int, other: int, priority: int
) -> None:
    assert rank(one, priority + 1, STRICT_AGING) < rank(other, priority, STRICT_AGING)


@given(st.integers(0, 2**60), priorities)
def test_every_rank_fits_a_bigint(run_at: int, priority: int) -> None:
    assert abs(rank(run_at, priority, STRICT_AGING)) < 2**62


@pytest.mark.parametrize(
    ("text", "aging"),
    [
        ("60s", DEFAULT_AGING),
        ("500ms", timedelta(milliseconds=500)),
        ("2m", timedelta(minutes=2)),
        ("strict", STRICT_AGING),
    ],
)
def test_an_aging_is_read_as_people_write_it(text: str, aging: timedelta) -> None:
    assert parse_aging(text) == aging


def test_an_aging_that_is_no_duration_is_refused() -> None:
    with pytest.raises(BadInput, match="'fast' is no duration"):
        parse_aging("fast")
