"""Events become log lines: fields for programs, colours for people, secrets for nobody."""

import io
import json
from typing import Any, get_args

import pytest

from windlass.clock import SystemClock
from windlass.core.job import JobId, NodeId, State, WorkerId
from windlass.observe.events import (
    AttemptFailed,
    AttemptsSettled,
    ChoreFailed,
    Connected,
    Event,
    LeaseRenewed,
    ShutdownAsked,
    ShutdownComplete,
    WorkerDied,
    WorkerStarted,
    WorkerStopped,
)
from windlass.observe.logs import SAYINGS, Level, Logs

WORKER = WorkerId("w1")


class Clock(SystemClock):
    """A clock that tests own."""

    def __init__(self) -> None:
        self.now = 1_700_000_000_123_000

    def now_us(self) -> int:
        """Whatever the test says."""
        return self.now


class Broken(io.StringIO):
    """A pipe whose reader is gone."""

    def write(self, _: str) -> int:
        """Fail."""
        raise BrokenPipeError


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """It is not, but says so."""
        return True


def lines(*told: Event, level: Level = "info") -> list[dict[str, Any]]:
    stream = io.StringIO()
    logs = Logs(stream, Clock(), level=level)
    for event in told:
        logs.on(event)
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_line_has_its_time_its_level_what_happened_and_the_facts() -> None:
    [line] = lines(WorkerDied(WORKER, 4711, -9))

    assert line == {
        "time": "2023-11-14T22:13:20.123Z",
        "level": "ERROR",
        "msg": "worker died",
        "worker": "w1",
        "pid": 4711,
        "code": -9,
    }


def test_a_shutdown_is_told_step_by_step() -> None:
    told = lines(
        Connected("sqlite:///jobs.db"),
        WorkerStarted(WORKER, 1, 100, 4, alone=False),
        ShutdownAsked("SIGTERM", drain=True),
        WorkerStopped(WORKER),
        ShutdownComplete(0),
    )

    assert [line["msg"] for line in told] == [
        "connected to sqlite",
        "worker started",
        "shutdown signal received",
        "worker stopped",
        "shutdown complete",
    ]


def test_every_event_can_be_told() -> None:
    assert set(SAYINGS) == set(get_args(Event))


def test_what_happens_for_every_batch_is_told_only_to_those_who_ask() -> None:
    batch = AttemptsSettled(WORKER, {State.COMPLETED: 200}, 0.0012345678)

    assert lines(batch) == []
    [line] = lines(batch, level="debug")
    assert line["counts"] == {"completed": 200}
    assert line["took"] == 0.001235


def test_a_password_in_a_url_is_hidden() -> None:
    [connected, failed] = lines(
        Connected("postgresql://ada:s3cret@db/jobs"),
        AttemptFailed(
            WORKER, JobId("j"), "mail", 1, "no way to smtp://me:s3cret@mail and http://x:s3cret@y"
        ),
    )

    assert connected["store"] == "postgresql://ada:***@db/jobs"
    assert "s3cret" not in failed["error"]


def test_a_token_that_an_error_repeats_is_hidden() -> None:
    token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmVk"  # noqa: S105 - of nobody

    [failed] = lines(AttemptFailed(WORKER, JobId("j"), "call", 1, f"refused: Bearer {token}"))

    assert failed["error"] == "refused: Bearer eyJ***"


def test_a_chore_that_keeps_failing_is_told_once_in_a_while() -> None:
    stream, clock = io.StringIO(), Clock()
    logs = Logs(stream, clock)

    for _ in range(3):
        logs.on(ChoreFailed("promote", "away", away=True))
    logs.on(ChoreFailed("reclaim", "away", away=True))
    clock.now += 11_000_000
    logs.on(ChoreFailed("promote", "away", away=True))

    told = [json.loads(line)["chore"] for line in stream.getvalue().splitlines()]
    assert told == ["promote", "reclaim", "promote"]


def test_a_log_that_cannot_be_written_stops_nobody() -> None:
    closed = io.StringIO()
    logs = [Logs(stream, SystemClock()) for stream in (Broken(), closed)]
    closed.close()

    for log in logs:
        log.on(WorkerStopped(WORKER))


def test_a_person_at_a_terminal_reads_words_and_no_json() -> None:
    stream = Terminal()

    Logs(stream, Clock(), level="debug").on(LeaseRenewed(NodeId("n1"), 0.002))

    assert "lease renewed" in stream.getvalue()
    assert "{" not in stream.getvalue()


def test_a_person_reads_the_time_of_day_and_the_facts_in_their_order_without_colours_if_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    stream = Terminal()

    Logs(stream, Clock()).on(AttemptFailed(WORKER, JobId("j1"), "mail", 1, "ouch"))

    assert stream.getvalue().split() == [
        *("22:13:20.123Z", "[warning", "]", "attempt", "failed"),
        *("worker=w1", "job=j1", "type=mail", "attempt=1", "error=ouch"),
    ]
