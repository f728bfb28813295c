"""What the records of a side come to."""

import pytest

from benchmarks.peers.crew import SideFailed
from benchmarks.peers.measures import drain, effects, kill, retries
from benchmarks.peers.record import END, START
from benchmarks.peers.records import Record


def start(number: int, at: float) -> Record:
    return Record(number, START, 0.0, at)


def end(number: int, at: float) -> Record:
    return Record(number, END, 0.0, at)


def test_a_drain_runs_from_the_first_start_to_the_last() -> None:
    begun = [start(0, 10.0), start(1, 11.0), start(2, 12.0)]

    assert drain.rate(begun, 3) == pytest.approx(1.0)
    assert drain.sound(begun, 3) == ""


def test_a_drain_that_lost_a_job_has_no_rate() -> None:
    with pytest.raises(SideFailed, match="1 of 3 jobs did not run"):
        drain.sound([start(0, 1.0), start(1, 2.0)], 3)


def test_a_retry_is_late_by_what_lies_beyond_the_second() -> None:
    records = [start(0, 1.0), start(1, 1.0), start(0, 2.01), start(1, 2.0)]

    assert retries.lateness(records) == pytest.approx([10.0, 0.0])


def test_a_job_that_was_not_tried_again_is_told() -> None:
    with pytest.raises(SideFailed, match="1 jobs were not tried again"):
        retries.lateness([start(0, 1.0), start(1, 1.0), start(0, 2.0)])

    with pytest.raises(SideFailed, match="1 of 1 jobs did not run again"):
        retries.sound([start(number, float(number)) for number in range(5)], 5)


def test_a_kill_tells_what_was_in_flight_what_is_missing_and_what_was_done_twice() -> None:
    found = [
        *(start(0, 1.0), end(0, 1.99)),  # ended, but nobody had noted it
        *(start(1, 1.5), start(2, 1.5)),  # in flight
        *(start(0, 3.0), end(0, 4.0), start(1, 3.0), end(1, 5.0)),
    ]

    samples = {one.figure: one for one in kill.told(found, 3, killed=2.0, began=2.5)}

    assert samples["kill_in_flight"].value == 2
    assert samples["kill_not_done"].value == 1
    assert samples["kill_twice"][1:] == (1, "ended up to 10 ms before the kill")
    assert samples["kill_recovery"][1:] == (None, "1 of 3 not done")


def test_after_a_kill_that_was_survived_it_says_how_long_that_took() -> None:
    found = [start(0, 1.0), start(0, 3.0), end(0, 4.5)]

    samples = {one.figure: one for one in kill.told(found, 1, killed=2.0, began=2.5)}

    assert samples["kill_twice"][1:] == (0, "")
    assert samples["kill_recovery"][1:] == (2.0, "")


def test_an_effect_is_missing_or_doubled_if_it_is_not_there_once() -> None:
    samples = {one.figure: one.value for one in effects.told([0, 1, 1, 3], jobs=4)}

    assert samples == {"effects_missing": 1, "effects_twice": 1}
