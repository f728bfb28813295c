"""Text is turned around as a reader sees it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.executors.text import reverse_string


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hello", "olleh"),
        ("", ""),
        ("noe\u0308l", "le\u0308on"),  # an accent stays on its letter
        ("a👨‍👩‍👧b", "b👨‍👩‍👧a"),  # a family stays together
        ("🇩🇪🇫🇷", "🇫🇷🇩🇪"),  # a flag is two letters in one order
        ("1\r\n2", "2\r\n1"),
        ("👍🏽x", "x👍🏽"),
    ],
)
def test_text_is_reversed_by_what_is_read_as_one_character(text: str, expected: str) -> None:
    assert reverse_string(text) == {"reversed": expected}


@given(st.text())
def test_nothing_is_lost(text: str) -> None:
    reversed_ = reverse_string(text)["reversed"]

    assert sorted(reversed_) == sorted(text)
