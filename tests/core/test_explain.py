"""Every job can be explained, in words that say what to do."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.makers import NOW, a_job
from windlass.core.explain import Facts, Line, explain
from windlass.core.job import Lane, State, WorkerId

NOT_IN_LINE = (None, True, None)
NOW_US = int(NOW.timestamp() * 1_000_000)


def told(facts: dict[str, Any] | None = None, **job: Any) -> list[str]:
    """What is said about a job with live workers that could take it, unless the facts differ."""
    known: dict[str, Any] = {
        "job": a_job(**job),
        "now_us": NOW_US,
        "workers": 2,
        "workers_for_type": 2,
        "workers_for_queue": 2,
        "widest": 4,
        "claims_per_second": 4.0,
    }
    return explain(Facts(**{**known, **(facts or {})})).sentences


def figures(facts: dict[str, Any], **job: Any) -> tuple[int | None, bool, int | None, Any]:
    """Jobs ahead, whether that is exact, about how many, and the wait in seconds."""
    known: dict[str, Any] = {"workers": 1, "workers_for_type": 1, "workers_for_queue": 1}
    why = explain(Facts(**{"job": a_job(**job), "now_us": NOW_US, **known, **facts}))
    wait = None if why.wait is None else why.wait.total_seconds()
    return why.ahead, why.ahead_exact, why.ahead_about, wait


@pytest.mark.parametrize(
    ("facts", "job", "told"),
    [
        ({"ahead": 0}, {}, (0, True, 0, 0.0)),
        ({"ahead": 8, "claims_per_second": 4.0}, {}, (8, True, 8, 2.0)),
        ({"ahead": 8}, {}, (8, True, 8, None)),
        ({"ahead": 10_000, "claims_per_second": 4.0}, {}, (10_000, False, None, None)),
        (
            {
                "ahead": 10_000,
                "claims_per_second": 100.0,
                "line": Line(rank=750, first=500, last=1_500, length=4_000_000),
            },
            {},
            (10_000, False, 1_000_000, 10_000.0),
        ),
        (
            {"ahead": 10_000, "line": Line(rank=501, first=500, last=1_500, length=20_000)},
            {},
            (10_000, False, 10_000, None),
        ),
        (
            {"ahead": 10_000, "line": Line(rank=5, first=5, last=5, length=20_000)},
            {},
            (10_000, False, None, None),
        ),
        ({"ahead": 8, "workers": 0}, {}, (8, True, 8, None)),
        (
            {},
            {"state": State.SCHEDULED, "run_at": NOW + timedelta(minutes=1)},
            (*NOT_IN_LINE, 60.0),
        ),
        ({}, {"state": State.RUNNING}, (*NOT_IN_LINE, None)),
    ],
)
def test_a_job_in_line_is_explained_in_figures(
    facts: dict[str, Any], job: dict[str, Any], told: tuple[Any, ...]
) -> None:
    assert figures(facts, **{"state": State.PENDING, **job}) == told


def test_a_long_line_is_estimated_by_its_ends() -> None:
    line = Line(rank=750, first=500, last=1_500, length=4_000_000)

    [sentence] = told({"ahead": 10_000, "line": line}, state=State.PENDING)

    assert sentence == (
        "waits its turn: more than 10,000 jobs are ahead, perhaps 1,000,000, about 69 h 26 min"
    )


def test_a_scheduled_job_says_until_when() -> None:
    [sentence] = told(state=State.SCHEDULED, run_at=NOW + timedelta(minutes=2, seconds=5))

    assert sentence == "scheduled until 2026-01-02 03:06:10 UTC, due in 2 min 5 s"


@pytest.mark.parametrize(
    ("wait", "said"),
    [
        (0.25, "250 ms"),
        (3, "3 s"),
        (60, "1 min"),
        (3600, "1 h"),
        (3660, "1 h 1 min"),
        (10_000 * 3600, "416 d 16 h"),
        (24_000 * 3600, "1,000 d"),
    ],
)
def test_a_span_is_said_as_roughly_as_it_matters(wait: float, said: str) -> None:
    [sentence] = told(state=State.SCHEDULED, run_at=NOW + timedelta(seconds=wait))

    assert sentence.endswith(f"due in {said}")


def test_a_job_that_is_due_is_about_to_be_promoted() -> None:
    [sentence] = told(state=State.SCHEDULED, run_at=NOW - timedelta(seconds=1))

    assert "due now, about to be promoted" in sentence


def test_a_retry_says_which_failure_came_before() -> None:
    [sentence] = told(state=State.SCHEDULED, failures=2, run_at=NOW + timedelta(seconds=4))

    assert sentence == "retry after failure 2 of 3, due in 4 s"


def test_a_retry_says_which_crash_came_before() -> None:
    [sentence] = told(
        state=State.SCHEDULED, crashes=1, failures=1, run_at=NOW + timedelta(seconds=2)
    )

    assert sentence == "retry after crash 1 of 3, due in 2 s"


def test_a_scheduled_job_also_says_what_will_stand_in_its_way() -> None:
    sentences = told(
        {"workers_for_type": 0}, state=State.SCHEDULED, run_at=NOW + timedelta(seconds=2)
    )

    assert sentences[1:] == ["no live worker knows type welcome"]


def test_a_job_of_a_paused_queue_says_who_paused_it() -> None:
    assert told({"queue_paused": True, "paused_by": "ada"}) == ["queue mail is paused by ada"]


def test_without_any_worker_there_is_no_more_to_say() -> None:
    facts = {"workers": 0, "workers_for_type": 0, "workers_for_queue": 0}

    assert told(facts) == ["no worker is alive"]


def test_a_job_whose_queue_nobody_serves_says_so() -> None:
    assert told({"workers_for_queue": 0}) == ["no live worker serves queue mail"]


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"ahead": 0}, "is next in line"),
        ({"ahead": 1}, "waits its turn: 1 job is ahead, about 250 ms"),
        ({"ahead": 12}, "waits its turn: 12 jobs are ahead, about 3 s"),
        ({"ahead": 10_000}, "waits its turn: more than 10,000 jobs are ahead"),
        (
            {"ahead": 12, "claims_per_second": 0.0},
            "waits its turn: 12 jobs are ahead, and nothing was claimed in the last minute",
        ),
    ],
)
def test_a_job_in_line_says_its_place(facts: dict[str, Any], said: str) -> None:
    assert told(facts) == [said]


def test_a_job_wider_than_every_worker_says_that_it_will_run_on_one_thread() -> None:
    sentences = told(threads=8, lane=Lane.THREADS)

    assert sentences[0] == (
        "asks for 8 threads, wider than every worker (at most 4): will run on one thread"
    )


def test_a_wide_job_that_is_next_says_what_it_waits_for() -> None:
    sentences = told(threads=3, lane=Lane.THREADS)

    assert sentences == ["is next in line: starts as soon as a worker has 3 threads free"]


@pytest.mark.parametrize(("threads", "says_so"), [(8, True), (4, False)])
def test_a_job_that_runs_on_one_thread_says_why(threads: int, says_so: bool) -> None:  # noqa: FBT001
    sentences = told({"worker_threads": 4}, state=State.RUNNING, threads=threads)

    said = (
        f"runs on one thread: it asks for {threads},"
        " and no live worker had so many when it was claimed"
    )
    assert (said in sentences) is says_so


def test_a_suspect_says_that_it_waits_for_a_process_of_its_own() -> None:
    sentences = told(lane=Lane.ALONE)

    assert sentences[0].endswith("waits for a process of its own")


def test_a_parked_job_without_obstacles_is_about_to_be_put_back() -> None:
    sentences = told(lane=Lane.PARKED)

    assert sentences[0].endswith("about to be put back in line")


def test_a_running_job_says_where_and_until_when_its_lease_runs() -> None:
    sentences = told(
        {"lease_until": NOW + timedelta(seconds=10)}, state=State.RUNNING, worker=WorkerId("w1")
    )

    assert sentences == ["running on worker w1, lease until 2026-01-02 03:04:15 UTC"]


@pytest.mark.parametrize(
    ("lease", "said"),
    [
        (None, "running on worker w1, which is gone: about to be reclaimed"),
        (
            NOW - timedelta(seconds=1),
            "running on worker w1, whose lease ran out at 2026-01-02 03:04:04 UTC: to be reclaimed",
        ),
    ],
)
def test_a_job_of_a_dead_worker_is_to_be_reclaimed(lease: Any, said: str) -> None:
    sentences = told({"lease_until": lease}, state=State.RUNNING, worker=WorkerId("w1"))

    assert sentences == [said]


def test_a_running_job_that_was_asked_to_stop_says_so_first() -> None:
    sentences = told(state=State.RUNNING, cancel_requested=True)

    assert sentences[0] == "was asked to stop, and has not stopped yet"


@pytest.mark.parametrize(
    ("job", "said"),
    [
        ({"state": State.COMPLETED, "finished_at": NOW}, "completed at 2026-01-02 03:04:05 UTC"),
        ({"state": State.CANCELLED}, "cancelled"),
        (
            {"state": State.FAILED, "reason": "attempts", "failures": 3, "error": "no route"},
            "failed: failure 3 of 3; no route",
        ),
        (
            {"state": State.FAILED, "reason": "crash", "crashes": 3, "error": "died"},
            "failed: crash 3 of 3; died",
        ),
        (
            {"state": State.FAILED, "reason": "final", "error": "no such user"},
            "failed: its handler said that trying again is no use; no such user",
        ),
        ({"state": State.FAILED, "reason": "odd", "error": "?"}, "failed: odd; ?"),
    ],
)
def test_a_finished_job_says_how_it_ended(job: dict[str, Any], said: str) -> None:
    assert told(**job) == [said]


@given(
    st.sampled_from(list(State)),
    st.sampled_from([None, *Lane]),
    st.integers(0, 256),
    st.fixed_dictionaries(
        {
            "ahead": st.integers(0, 10_000),
            "workers": st.integers(0, 3),
            "workers_for_type": st.integers(0, 3),
            "workers_for_queue": st.integers(0, 3),
            "widest": st.integers(0, 64),
            "claims_per_second": st.floats(0, 10**6),
        }
    ),
)
def test_every_job_can_be_explained(
    state: State, lane: Lane | None, threads: int, facts: dict[str, Any]
) -> None:
    sentences = told(facts, state=state, lane=lane, threads=threads)

    assert sentences
    assert all(sentences)
