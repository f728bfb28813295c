"""What may be asked for: bounds hold, and every refusal says what to do."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import pytest

from windlass.core import limits
from windlass.core.backoff import Backoff
from windlass.core.errors import BadInput, UnknownJob
from windlass.core.job import State


@pytest.mark.parametrize(
    ("check", "value"),
    [
        (limits.priority, -100),
        (limits.priority, 100),
        (limits.thread_demand, 1),
        (limits.thread_demand, 256),
        (limits.max_attempts, 1),
        (limits.max_attempts, 1000),
        (limits.max_crashes, 1),
        (limits.memory_limit, 2**30),
        (limits.memory_limit, None),
        (limits.page, 1000),
        (limits.queue, "mail"),
        (limits.queue, "q" * 200),
        (limits.type_name, "send mail"),
        (limits.job_name, None),
        (limits.job_name, "für Ada"),
        (limits.key, "order-1"),
        (limits.key, None),
        (limits.backoff, None),
        (limits.backoff, Backoff()),
        (limits.delay, None),
        (limits.run_at, None),
        (limits.timeout, None),
    ],
)
def test_what_is_within_the_limits_passes_as_it_is(
    check: Callable[[Any], Any], value: object
) -> None:
    assert check(value) == value


@pytest.mark.parametrize(
    ("check", "value", "said"),
    [
        (limits.priority, 101, "priority must be a whole number from -100 to 100, not 101"),
        (limits.priority, -101, "from -100 to 100"),
        (limits.priority, 1.0, "whole number"),
        (limits.priority, True, "whole number"),
        (limits.priority, "5", "not '5'"),
        (limits.thread_demand, 0, "thread_demand must be a whole number from 1 to 256"),
        (limits.thread_demand, 257, "from 1 to 256"),
        (limits.max_attempts, 0, "max_attempts must be a whole number from 1 to 1000"),
        (limits.max_attempts, 1001, "from 1 to 1000"),
        (limits.max_crashes, 0, "max_crashes"),
        (limits.memory_limit, 1000, "memory_limit"),
        (limits.page, 0, "limit must be"),
        (limits.page, 1001, "limit must be"),
        (limits.queue, "", "1 to 200 characters; this one has 0"),
        (limits.queue, "q" * 201, "this one has 201"),
        (limits.queue, "a\nb", "printable"),
        (limits.queue, "a\x00b", "printable"),
        (limits.queue, "\ud800", "printable"),
        (limits.queue, "*", "may not be '\\*'"),
        (limits.queue, "@later", "begin with '@'"),
        (limits.queue, 5, "must be text"),
        (limits.type_name, "", "a job type"),
        (limits.job_name, "", "a job's name"),
        (limits.key, "k" * 201, "an idempotency key must have 1 to 200"),
        (limits.delay, -1, "delay must be between 0 and 100 years"),
        (limits.key_window, -1, "key_window must be"),
        (limits.timeout, 0, "more than 0 s; leave it out for no limit"),
        (limits.timeout, -5, "timeout must be"),
        (limits.run_at, "tomorrow", "must be a datetime"),
        (limits.run_at, datetime(2030, 1, 1), "no time zone; write datetime"),  # noqa: DTZ001
        (limits.backoff, 5, "must be a Backoff"),
        (limits.state, "done", "states: scheduled, pending, running, completed, failed"),
    ],
)
def test_what_is_beyond_the_limits_is_refused_with_what_is_accepted(
    check: Callable[[Any], Any], value: object, said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        check(value)


def test_seconds_become_spans() -> None:
    assert limits.delay(1.5) == timedelta(seconds=1.5)
    assert limits.key_window(60) == timedelta(minutes=1)
    assert limits.timeout(timedelta(seconds=2)) == 2.0


def test_a_moment_is_kept_in_utc() -> None:
    berlin = timezone(timedelta(hours=2))

    moment = limits.run_at(datetime(2030, 1, 1, 12, tzinfo=berlin))

    assert moment == datetime(2030, 1, 1, 10, tzinfo=UTC)
    assert moment is not None
    assert moment.tzinfo is UTC


def test_a_moment_beyond_the_calendar_is_refused() -> None:
    west = timezone(timedelta(hours=-5))

    with pytest.raises(BadInput, match="outside the years 1 to 9999"):
        limits.run_at(datetime(9999, 12, 31, 23, tzinfo=west))


def test_a_state_is_known_by_its_word() -> None:
    assert limits.state("failed") is State.FAILED
    assert limits.state(State.FAILED) is State.FAILED


def test_an_id_is_read_however_it_is_written() -> None:
    written = "0190A0C0-0000-7000-8000-000000000001"

    assert limits.job_id(written) == written.lower()
    assert limits.job_id(UUID(written)) == written.lower()


def test_what_cannot_be_an_id_is_the_id_of_no_job() -> None:
    with pytest.raises(UnknownJob, match="no job 42"):
        limits.job_id("42")
