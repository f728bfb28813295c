"""Events that travel to another process arrive as they were."""

import msgspec
import pytest

from windlass.core.job import JobId, Lane, State, WorkerId
from windlass.observe.events import (
    AttemptFailed,
    AttemptsSettled,
    BellHeard,
    BellLost,
    BellRung,
    ChoreFailed,
    ClaimsLost,
    Event,
    JobsClaimed,
    JobsHandedBack,
    Occupancy,
    RedisFound,
    RedisLost,
    RedisRefused,
    WorkerStarted,
    WorkerStopped,
)
from windlass.observe.relay import KINDS, Told, packed, unpacked

WORKER, JOB = WorkerId("w1"), JobId("j1")

EVENTS: list[Event] = [
    WorkerStarted(WORKER, 1, 100, 4, alone=False),
    WorkerStopped(WORKER),
    Occupancy(WORKER, 3, 100),
    JobsClaimed(WORKER, Lane.OPEN, 5, 0.25),
    AttemptsSettled(WORKER, {State.COMPLETED: 4, State.SCHEDULED: 1}, 0.5),
    ClaimsLost(WORKER, [JOB]),
    JobsHandedBack(WORKER, [JOB, JOB]),
    ChoreFailed("settle", "away", away=True),
    BellRung(["mail"]),
    BellHeard(["mail"]),
    BellLost("gone"),
    RedisLost("gone"),
    RedisFound(1.5),
    RedisRefused("full"),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_arrives_as_it_was(event: Event) -> None:
    sent = msgspec.json.encode(packed(event))

    assert unpacked(msgspec.json.decode(sent, type=Told)) == event


def test_every_kind_that_travels_is_shown_above() -> None:
    assert {type(event).__name__ for event in EVENTS} == KINDS.keys()


def test_what_nobody_counts_stays_at_home() -> None:
    assert packed(AttemptFailed(WORKER, JOB, "mail", 1, "oh")) is None
