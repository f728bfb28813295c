"""A census: what is live tells, with what ended, how much was ever submitted."""

from windlass.core import census
from windlass.core.census import MOST_NAMES, OTHER, REVIVED, Counted, Line, Total, drawn, label
from windlass.core.job import State


def counted(state: str, jobs: int, queue: str = "a", type_: str = "mail") -> Counted:
    return Counted(queue, type_, state, jobs)


def test_what_lives_and_what_ended_was_submitted_unless_it_was_revived() -> None:
    rows = [
        counted(State.PENDING, 4),
        counted(State.SCHEDULED, 2),
        counted(State.RUNNING, 1),
        counted(State.COMPLETED, 10),
        counted(State.FAILED, 3),
        counted(State.CANCELLED, 1),
        counted(REVIVED, 2),
        counted("retried", 50),
    ]

    assert drawn([], rows) == [Line("a", "mail", 19, 2, 4, 1)]


def test_a_late_count_takes_nothing_back() -> None:
    before = [Line("a", "mail", submitted=20, pending=5)]

    assert drawn(before, [counted(State.PENDING, 3)]) == [Line("a", "mail", 20, 0, 3, 0)]


def test_a_line_stays_when_its_jobs_are_gone() -> None:
    before = [Line("b", "mail", 5), Line("a", "mail", 20)]

    lines = drawn(before, [counted(State.PENDING, 1, queue="c")])

    assert [(one.queue, one.submitted) for one in lines] == [("b", 5), ("a", 20), ("c", 1)]


def test_names_beyond_the_limit_are_lumped_together_and_stay_so() -> None:
    many = [counted(State.PENDING, 1, queue=f"{number:05}") for number in range(MOST_NAMES + 30)]
    first = drawn([], many)

    again = drawn(first, [*many, counted(State.PENDING, 1, queue="0")])

    assert len(first) == len(again) == MOST_NAMES + 1
    assert [line[:3] for line in first if line.queue == OTHER] == [(OTHER, OTHER, 30)]
    assert [line[:3] for line in again if line.queue == OTHER] == [(OTHER, OTHER, 31)]


def test_a_total_is_told_under_the_name_that_the_census_has_for_it() -> None:
    names = census.named([("a", "mail")], [Total("b", "mail", State.FAILED, 1)])

    assert label(Total("b", "mail", State.FAILED, 1), names) == ("b", "mail")
    assert label(Total("c", "mail", State.FAILED, 1), names) == (OTHER, OTHER)
