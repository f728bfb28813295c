"""How spans of time are read, and which are refused."""

import math
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.core.duration import LONGEST, duration, parse_duration
from windlass.core.errors import BadInput


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("500ms", 0.5), ("60s", 60), ("2m", 120), ("1.5h", 5400), ("7d", 604800), (" 30 ", 30)],
)
def test_a_duration_is_read_with_its_unit(text: str, seconds: float) -> None:
    assert parse_duration(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "s", "-1s", "1 s", "1e3s", "²s", "٣s", "1y", "nan", "1..5s"])
def test_what_is_no_duration_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(BadInput, match="write it like 500ms"):
        parse_duration(text)


@given(st.text(max_size=8))
def test_any_text_is_a_duration_or_bad_input(text: str) -> None:
    try:
        span = parse_duration(text)
    except BadInput:
        return
    assert timedelta(0) <= span <= LONGEST


@pytest.mark.parametrize("value", [0, 1.5, timedelta(seconds=3), LONGEST])
def test_seconds_and_timedeltas_are_durations(value: float | timedelta) -> None:
    span = duration(value, "delay")

    assert span == (value if isinstance(value, timedelta) else timedelta(seconds=value))


@pytest.mark.parametrize(
    "value", [-1, math.nan, math.inf, timedelta(seconds=-1), timedelta.max, "5", True, None]
)
def test_what_cannot_be_waited_for_is_refused_by_name(value: Any) -> None:
    with pytest.raises(BadInput, match="delay must be"):
        duration(value, "delay")
