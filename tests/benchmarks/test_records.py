"""What jobs wrote down, read while they write."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.peers import record, records
from benchmarks.peers.records import Records, fault, starts

Write = Callable[..., Records]


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Records of jobs that start in this order."""
    monkeypatch.setenv("SIDE_LOG", str(tmp_path / "log"))
    record.log.cache_clear()

    def write(*numbers: int) -> Records:
        for number in numbers:
            record.started(number, 1.0)
        return Records(tmp_path / "log")

    return write


def test_a_start_says_which_job_when_it_was_enqueued_and_when_it_was(written: Write) -> None:
    [found] = written(7).read()

    assert (found.number, found.kind, found.enqueued) == (7, record.START, 1.0)
    assert found.at > 1.0


def test_jobs_that_only_warm_up_are_counted_but_not_read(written: Write) -> None:
    log = written(-2, -1, 0)

    assert log.count() == 3
    assert [found.number for found in log.read()] == [0]


def test_starts_come_in_the_order_of_their_time(written: Write) -> None:
    log = written(2, 1)
    record.ended(2, 1.0)

    assert [found.number for found in starts(reversed(log.read()))] == [2, 1]


async def test_who_waits_for_records_hears_when_they_are_there(written: Write) -> None:
    log = written(0, 1)

    assert await log.reach(2, check=lambda: None)


async def test_who_waits_in_vain_hears_that_nothing_comes_any_more(
    written: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "STALLED", 0.05)
    log = written(0)

    assert not await log.reach(2, check=lambda: None)


@pytest.mark.parametrize(
    ("numbers", "told"),
    [
        ((0, 1, 2), ""),
        ((0, 2), "1 of 3 jobs did not run"),
        ((0, 1, 1, 2), "1 of 3 jobs ran more than once"),
        ((0, 0), "2 of 3 jobs did not run, 1 of 3 jobs ran more than once"),
    ],
)
def test_a_fault_is_told_in_words(written: Write, numbers: tuple[int, ...], told: str) -> None:
    assert fault(written(*numbers).read(), 3) == told
