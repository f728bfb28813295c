"""What is rung for, and who gets which error."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from windlass.app.sender import words
from windlass.core.job import JobId, NewJob

NOW = datetime(2026, 1, 1, tzinfo=UTC)
NOW_US = int(NOW.timestamp() * 1_000_000)
HOUR = timedelta(hours=1)


def job(queue: str = "mail", **changes: Any) -> NewJob:
    return NewJob(JobId("1"), "welcome", "{}", queue=queue, **changes)


@pytest.mark.parametrize(
    ("jobs", "rung"),
    [
        ([], []),
        ([job("mail"), job("mail"), job("a")], ["a", "mail"]),
        ([job(f"q{n}") for n in range(8)], [f"q{n}" for n in range(8)]),
        ([job(f"q{n}") for n in range(9)], ["*"]),
        ([job(delay=HOUR), job(run_at=NOW + HOUR)], []),
        ([job(delay=timedelta(seconds=0.5))], ["mail", "@later"]),
        ([job(delay=timedelta(0))], ["mail", "@later"]),
        ([job(run_at=NOW - HOUR)], ["mail", "@later"]),
        ([job(run_at=NOW + timedelta(seconds=1)), job("a")], ["a", "mail", "@later"]),
    ],
)
def test_a_ring_names_the_queues_in_which_something_is_due(
    jobs: list[NewJob], rung: list[str]
) -> None:
    assert words(jobs, NOW_US) == rung
