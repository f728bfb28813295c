"""Events are counted, and Prometheus can read the counts."""

import subprocess
import sys

from windlass.core.job import JobId, Lane, NodeId, State, WorkerId
from windlass.observe.events import (
    AttemptsSettled,
    BellHeard,
    BellLost,
    BellRung,
    ChoreFailed,
    ClaimsLost,
    Event,
    JobsClaimed,
    JobsEnqueued,
    JobsReclaimed,
    LeaseLost,
    LeaseRenewed,
    Observers,
    Occupancy,
    RequestBroke,
    RequestServed,
    WorkerDied,
    WorkerStarted,
    WorkerStopped,
)
from windlass.observe.metrics import Metrics

WORKER, NODE = WorkerId("w1"), NodeId("n1")


def counted(*told: Event) -> Metrics:
    metrics = Metrics()
    everyone = Observers(metrics)
    for event in told:
        everyone.on(event)
    return metrics


def value(metrics: Metrics, name: str, **labels: str) -> float | None:
    return metrics.registry.get_sample_value(f"windlass_{name}", labels)


def test_a_batch_is_counted_by_its_size() -> None:
    metrics = counted(
        JobsClaimed(WORKER, Lane.OPEN, 200, 0.002),
        AttemptsSettled(WORKER, {State.COMPLETED: 198, State.SCHEDULED: 2}, 0.003),
        ClaimsLost(WORKER, [JobId("a"), JobId("b")]),
        JobsReclaimed(7),
    )

    assert value(metrics, "jobs_claimed_total", lane="open") == 200
    assert value(metrics, "attempts_settled_total", state="completed") == 198
    assert value(metrics, "attempts_settled_total", state="scheduled") == 2
    assert value(metrics, "settlements_refused_total") == 2
    assert value(metrics, "jobs_reclaimed_total") == 7
    assert value(metrics, "claim_seconds_count") == 1


def test_leases_chores_and_bells_are_counted() -> None:
    metrics = counted(
        LeaseRenewed(NODE, 0.001),
        LeaseLost(NODE),
        ChoreFailed("promote", "away"),
        BellRung(["mail"]),
        BellHeard(["mail"]),
        BellLost("gone"),
    )

    assert value(metrics, "lease_renewal_seconds_count") == 1
    assert value(metrics, "leases_lost_total") == 1
    assert value(metrics, "chore_errors_total", chore="promote") == 1
    assert value(metrics, "bells_rung_total") == 1
    assert value(metrics, "bells_heard_total") == 1
    assert value(metrics, "bells_lost_total") == 1


def test_a_worker_that_ended_leaves_no_gauge_behind() -> None:
    started = WorkerStarted(WORKER, 1, 100, 4, alone=False)
    busy = Occupancy(WORKER, 60, 100)

    metrics = counted(started, busy)
    assert value(metrics, "attempts_in_flight", worker="w1") == 60
    assert value(metrics, "slots", worker="w1") == 100

    metrics = counted(started, busy, WorkerStopped(WORKER))
    assert value(metrics, "attempts_in_flight", worker="w1") is None

    metrics = counted(WorkerDied(WORKER, 1, -9))
    assert value(metrics, "workers_died_total") == 1


def test_the_counts_are_served_as_text() -> None:
    text = counted(JobsReclaimed(3)).text()

    assert b"windlass_jobs_reclaimed_total 3.0" in text
    assert b"_created" not in text


def test_telling_events_needs_neither_prometheus_nor_structlog() -> None:
    script = (
        "import sys, windlass.observe.events\n"
        "assert not {'prometheus_client', 'structlog'} & set(sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_requests_are_counted_by_method_and_status() -> None:
    def served(method: str, status: int) -> Event:
        return RequestServed("r", method, "/jobs/1", status, 0.002, 10, None, None)

    metrics = counted(
        served("GET", 200),
        served("GET", 200),
        served("POST", 422),
        served("BREW", 405),
        served("STEEP", 405),
        RequestBroke("r", "GET", "/jobs", "oh"),
    )

    assert value(metrics, "http_requests_total", method="GET", status="200") == 2
    assert value(metrics, "http_requests_total", method="POST", status="422") == 1
    assert value(metrics, "http_requests_total", method="other", status="405") == 2
    assert value(metrics, "http_request_seconds_count") == 5
    assert value(metrics, "http_requests_broken_total") == 1


def test_what_was_enqueued_is_counted_by_transaction() -> None:
    metrics = counted(JobsEnqueued(64, 60, 0.002), JobsEnqueued(1, 1, 0.001))

    assert value(metrics, "enqueue_batch_jobs_sum") == 65
    assert value(metrics, "enqueue_batch_callers_sum") == 61
    assert value(metrics, "enqueue_seconds_count") == 2
