"""What a backoff promises, whatever it is made of."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.core.backoff import DEFAULT_BACKOFF, Backoff
from windlass.core.duration import LONGEST
from windlass.core.errors import BadInput

chances = st.floats(0, 1)


@st.composite
def backoffs(draw: st.DrawFn) -> Backoff:
    base = draw(st.floats(0.001, 1000))
    return Backoff(
        base=base,
        factor=draw(st.floats(1, 1000)),
        cap=draw(st.floats(base, LONGEST.total_seconds())),
        jitter=draw(st.floats(0, 1)),
    )


@given(backoffs(), st.integers(0, 10**9), chances)
def test_a_delay_stays_between_its_base_and_its_cap_with_jitter(
    backoff: Backoff, failures: int, chance: float
) -> None:
    delay = backoff.delay(failures, chance=chance)

    assert backoff.base <= delay <= backoff.cap * (1 + backoff.jitter)


@given(backoffs(), st.integers(1, 100), chances)
def test_a_delay_never_shrinks_with_more_failures(
    backoff: Backoff, failures: int, chance: float
) -> None:
    assert backoff.delay(failures + 1, chance=chance) >= backoff.delay(failures, chance=chance)


@given(backoffs(), st.integers(1, 100), chances, st.floats(0, 10**6))
def test_a_delay_is_never_less_than_asked_for(
    backoff: Backoff, failures: int, chance: float, at_least: float
) -> None:
    assert backoff.delay(failures, chance=chance, at_least=at_least) >= at_least


def test_the_default_waits_two_four_and_eight_seconds_and_an_hour_at_most() -> None:
    delays = [DEFAULT_BACKOFF.delay(failures, chance=0) for failures in (1, 2, 3, 20)]

    assert delays == [2, 4, 8, 3600]


def test_a_base_of_one_waits_one_two_four_and_eight_seconds() -> None:
    delays = [Backoff(base=1).delay(failures, chance=0) for failures in (1, 2, 3, 4)]

    assert delays == [1, 2, 4, 8]


def test_the_jitter_adds_a_tenth_at_most() -> None:
    assert DEFAULT_BACKOFF.delay(1, chance=1) == pytest.approx(2.2)


@pytest.mark.parametrize(
    "wrong",
    [
        {"base": 0},
        {"base": -1},
        {"base": math.nan},
        {"base": 10, "cap": 5},
        {"cap": math.inf},
        {"factor": 0.5},
        {"factor": 1e6},
        {"jitter": -0.1},
        {"jitter": 2},
    ],
)
def test_a_policy_that_would_retry_in_the_past_or_for_ever_is_refused(
    wrong: dict[str, float],
) -> None:
    with pytest.raises(BadInput, match="backoff needs"):
        Backoff(**wrong)
