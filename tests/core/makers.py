"""Values that the tests of the core start from."""

from datetime import UTC, datetime
from typing import Any

from windlass.core.claim import Claim
from windlass.core.job import Job, JobId, Lane, State, WorkerId

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

CLAIM = Claim(
    id=JobId("01890000-0000-7000-8000-000000000001"),
    fence=7,
    type="welcome",
    queue="mail",
    payload="{}",
    priority=0,
    rank=0,
    lane=Lane.OPEN,
    threads=0,
    attempts=0,
    failures=0,
    crashes=0,
    max_attempts=3,
    max_crashes=3,
    policy=None,
    worker=WorkerId("w1"),
)


def a_job(**changes: Any) -> Job:
    """A pending job in queue mail, with changes."""
    facts: dict[str, Any] = {
        "id": CLAIM.id,
        "type": "welcome",
        "queue": "mail",
        "name": None,
        "state": State.PENDING,
        "lane": Lane.OPEN,
        "priority": 0,
        "threads": 0,
        "payload": "{}",
        "result": None,
        "error": None,
        "reason": None,
        "attempts": 0,
        "failures": 0,
        "crashes": 0,
        "max_attempts": 3,
        "max_crashes": 3,
        "policy": None,
        "key": None,
        "fence": 0,
        "worker": None,
        "cancel_requested": False,
        "created_at": NOW,
        "run_at": NOW,
        "started_at": None,
        "finished_at": None,
    }
    return Job(**{**facts, **changes})
