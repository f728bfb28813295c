"""What happened between two readings is strewn over the time between them, and nothing is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.core.errors import BadInput
from windlass.core.histogram import GROWTH, added, bin_of, middle, percentile
from windlass.core.trend import (
    SECOND_US,
    WINDOWS,
    Cell,
    Reading,
    Tally,
    begins,
    joined,
    stepped,
    strewn,
    tallied,
    times,
    window,
)

NOW = 1_800_000_000 * SECOND_US
moments = st.integers(min_value=0, max_value=10**16)


@given(moments, st.integers(min_value=1, max_value=10**10), st.sampled_from([5, 60, 900]))
def test_shares_of_a_span_are_one_whole(since: int, length: int, grain: int) -> None:
    shares = dict(strewn(since, since + length, grain))

    assert sum(shares.values()) == pytest.approx(1)
    assert all(at % (grain * SECOND_US) == 0 for at in shares)


def test_what_took_long_to_be_counted_is_strewn_over_that_time() -> None:
    before = Reading(at_us=NOW, counted_us=NOW, enqueued=0)
    after = Reading(at_us=NOW + 20 * SECOND_US, counted_us=NOW + 20 * SECOND_US, enqueued=40)

    tallies = tallied(before, after, [], 5)

    assert [tally.enqueued for tally in tallies.values()] == [10, 10, 10, 10]


def test_what_was_not_counted_anew_is_not_known_yet() -> None:
    before = Reading(at_us=NOW, counted_us=NOW, enqueued=7)
    after = Reading(at_us=NOW + 5 * SECOND_US, counted_us=NOW, enqueued=7, completed=3)

    [tally] = tallied(before, after, [], 5).values()

    assert (tally.enqueued, tally.completed) == (None, 3)


def test_attempts_began_that_ended_or_run() -> None:
    before = Reading(at_us=NOW, completed=10, running=4)
    after = Reading(at_us=NOW + SECOND_US, completed=12, dead=1, retried=2, running=6)

    [tally] = tallied(before, after, [], 900).values()

    assert (tally.started, tally.failed, tally.dead) == (7, 3, 1)


def test_handing_jobs_back_starts_nothing() -> None:
    before = Reading(at_us=NOW, running=4)
    after = Reading(at_us=NOW + SECOND_US, running=0)

    [tally] = tallied(before, after, [], 5).values()

    assert tally.started == 0


def test_a_sample_stands_for_its_share_and_an_average_for_a_cell_without_one() -> None:
    cells = [Cell(10, 0, 0, [(100.0, 5.0), (200.0, 5.0)]), Cell(4, 400, 40, [])]

    wait, run = times(cells)

    assert wait == {bin_of(100): 9.0, bin_of(200): 5.0}
    assert run == {bin_of(5): 10.0, bin_of(10): 4.0}


@given(st.lists(st.floats(min_value=1, max_value=1e12), min_size=1, max_size=50))
def test_a_percentile_is_right_within_five_per_cent(values: list[float]) -> None:
    bins: dict[int, float] = {}
    for value in values:
        bins = dict(added(bins, {bin_of(value): 1.0}))

    median = percentile(bins, 0.5)

    assert median == pytest.approx(sorted(values)[(len(values) - 1) // 2], rel=0.051)


def test_of_nothing_there_is_no_percentile_and_of_nought_it_is_nought() -> None:
    assert percentile({}, 0.5) is None
    assert percentile({bin_of(0): 3.0}, 0.99) == 0
    assert middle(bin_of(GROWTH**10 * 1.01)) == pytest.approx(GROWTH**10.5)


def test_steps_join_what_happened_in_them_and_the_latest_of_what_is_live() -> None:
    since = begins(WINDOWS["6h"], NOW)
    found = {
        since: Tally(completed=1, pending=5, enqueued=2),
        since + 60 * SECOND_US: Tally(completed=2, pending=4),
        since + 300 * SECOND_US: Tally(dead=1),
    }

    steps = stepped(WINDOWS["6h"], since, found)

    assert steps[0] == joined(found[since], found[since + 60 * SECOND_US])
    assert steps[0] is not None
    assert (steps[0].completed, steps[0].pending, steps[0].enqueued) == (3, 4, 2)
    assert steps[1] == Tally(dead=1)
    assert steps[2:] == [None] * 70


@pytest.mark.parametrize("name", WINDOWS)
def test_the_last_step_of_a_window_has_now_in_it(name: str) -> None:
    wanted = window(name)

    since = begins(wanted, NOW + 123_456_789)
    last = stepped(wanted, since, {NOW + 123_456_789: Tally(completed=1)})[-1]

    assert last == Tally(completed=1)


def test_a_window_that_there_is_not_is_refused() -> None:
    with pytest.raises(BadInput, match="windows: 5m, 15m"):
        window("2h")
