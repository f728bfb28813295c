"""Times and texts as people read them."""

from datetime import UTC, datetime, timedelta

import pytest

from windlass.cli import words

NOW = datetime(2030, 1, 31, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-1, "0 ms"),
        (0.0004, "0.4 ms"),
        (0.012, "12 ms"),
        (1, "1 s"),
        (3.42, "3.4 s"),
        (90, "90 s"),
        (150, "2.5 min"),
        (7200, "2 h"),
        (86400, "24 h"),
        (864000, "10 d"),
        (864000000, "10,000 d"),
    ],
)
def test_a_span_is_told_in_the_unit_that_suits_it(seconds: float, said: str) -> None:
    assert words.span(timedelta(seconds=seconds)) == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(-90, "90 s ago"), (0.2, "just now"), (-0.9, "just now"), (120, "in 2 min")],
)
def test_a_moment_is_told_as_seen_from_now(seconds: float, said: str) -> None:
    assert words.ago(NOW + timedelta(seconds=seconds), NOW) == said


def test_what_is_not_there_is_a_dash() -> None:
    assert (words.span(None), words.ago(None, NOW), words.both(None, NOW)) == ("-", "-", "-")


def test_an_instant_is_told_in_utc_to_the_millisecond() -> None:
    assert words.instant(NOW) == "2030-01-31 08:00:00.000 UTC"


def test_control_characters_are_shown_and_not_obeyed() -> None:
    assert words.harmless("a\x1b[2J\r\u202eb\tc\n") == "a�[2J��b\tc\n"


def test_a_cell_of_a_table_has_the_beginning_of_a_text() -> None:
    assert words.first_line("\n one\ntwo") == "one"
    assert words.first_line("a" * 61) == "a" * 59 + "…"
    assert words.first_line(None) == ""
