"""What may be done with many jobs, and how far that has come."""

from datetime import UTC, datetime, timedelta

import pytest

from windlass.core import bulk
from windlass.core.bulk import BULK_PRIORITY, Action, Place
from windlass.core.errors import BadInput, BadQuery
from windlass.core.job import JobId, State
from windlass.core.marks import LOWEST
from windlass.core.rank import STRICT_AGING, rank

NOW = datetime(2026, 11, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("action", "states"),
    [
        (Action.RETRY, {State.FAILED, State.CANCELLED}),
        (Action.CANCEL, {State.SCHEDULED, State.PENDING, State.RUNNING}),
        (Action.DELETE, {State.COMPLETED, State.FAILED, State.CANCELLED}),
    ],
)
def test_a_query_without_states_means_those_that_the_action_can_change(
    action: Action, states: set[State]
) -> None:
    which = bulk.wanted(action, "type:mail", NOW)

    assert which.type == "mail"
    assert set(which.states) == states


def test_states_that_the_action_cannot_change_are_left_out() -> None:
    which = bulk.wanted(Action.RETRY, "status:failed,completed", NOW)

    assert set(which.states) == {State.FAILED}


def test_a_query_for_nothing_that_could_be_changed_is_refused() -> None:
    with pytest.raises(BadInput, match="delete is for jobs that are completed or failed or"):
        bulk.wanted(Action.DELETE, "status:running", NOW)


def test_a_query_is_asked_for() -> None:
    with pytest.raises(BadInput, match="say which jobs to cancel, as in status:"):
        bulk.wanted(Action.CANCEL, " ", NOW)


def test_a_query_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(BadQuery):
        bulk.wanted(Action.CANCEL, "colour:red", NOW)


def test_ages_are_counted_back_from_the_beginning() -> None:
    which = bulk.wanted(Action.RETRY, "age:>10m", NOW)

    assert which.created_before == NOW - timedelta(minutes=10)


def test_there_are_three_actions() -> None:
    with pytest.raises(BadInput, match="no bulk action 'burn'; actions: retry, cancel, delete"):
        bulk.action("burn")

    assert bulk.action("retry") is Action.RETRY


@pytest.mark.parametrize("value", [0, 1e-9, -1, float("nan"), float("inf"), True, "5"])
def test_a_rate_is_a_number_above_nothing(value: object) -> None:
    with pytest.raises(BadInput, match="rate"):
        bulk.rate(value)


def test_a_rate_may_be_left_out() -> None:
    assert (bulk.rate(None), bulk.rate(5)) == (None, 5.0)


@pytest.mark.parametrize(
    ("rate", "jobs"), [(None, 1_000), (0.1, 1), (1, 1), (20, 20), (1e9, 1_000)]
)
def test_a_chunk_is_no_more_than_a_second_is_worth(rate: float | None, jobs: int) -> None:
    assert bulk.at_once(rate) == jobs


def test_a_chunk_is_followed_by_what_is_left_of_its_time() -> None:
    assert bulk.pause(20, 10, took=0.5) == 1.5
    assert bulk.pause(20, 10, took=5) == 0
    assert bulk.pause(20, None, took=0) == 0


def test_a_place_moves_past_chunks_until_there_are_no_more() -> None:
    begin = Place(until=NOW)

    middle = begin.past(JobId("b"), matched=10, changed=9)
    end = middle.past(None, matched=1, changed=1)

    assert (middle.before, middle.over) == ("b", False)
    assert end == Place(until=NOW, before=JobId("b"), matched=11, changed=10, over=True)


def test_an_action_stands_before_whatever_users_may_ask_for_and_within_the_ranks() -> None:
    now_us = 2_000_000_000_000_000

    assert rank(now_us, BULK_PRIORITY, STRICT_AGING) > LOWEST
    assert rank(now_us, BULK_PRIORITY, STRICT_AGING) < rank(0, 100, STRICT_AGING)
