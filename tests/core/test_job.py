"""What a job knows about itself."""

import re
from datetime import timedelta
from pathlib import Path

import pytest

from tests.core.makers import NOW, a_job
from windlass.core.backoff import Backoff
from windlass.core.job import FINISHED, LIVE, TRANSITIONS, Lane, Policy, State, lane_of


def test_every_state_has_its_ways_out() -> None:
    assert TRANSITIONS.keys() == set(State)


def test_the_page_of_the_states_shows_every_change_and_no_other() -> None:
    page = Path("docs/states.md").read_text("utf-8")

    told = set(re.findall(r"^\| `(\w+)` \| `(\w+)` \|", page, re.MULTILINE))

    assert told == {(before, after) for before in State for after in TRANSITIONS[before]}


def test_only_retry_leaves_a_finished_state() -> None:
    ways_out = {state: TRANSITIONS[state] for state in FINISHED}

    assert ways_out == {
        State.COMPLETED: frozenset(),
        State.FAILED: {State.PENDING},
        State.CANCELLED: {State.PENDING},
    }


def test_a_state_is_live_or_finished() -> None:
    assert {state for state in State if state.finished} == FINISHED
    assert set(State) == FINISHED | LIVE


def test_a_thread_demand_decides_the_lane() -> None:
    assert (lane_of(0), lane_of(1)) == (Lane.OPEN, Lane.THREADS)


@pytest.mark.parametrize("policy", [Policy(timeout=1.0), Policy(backoff=Backoff())])
def test_a_policy_is_true_if_it_departs_from_the_defaults(policy: Policy) -> None:
    assert policy
    assert not Policy()


def test_a_waiting_job_has_no_times_yet() -> None:
    job = a_job()

    assert (job.queue_time, job.execution_time, job.total_time) == (None, None, None)


def test_a_running_job_knows_how_long_it_was_due() -> None:
    job = a_job(started_at=NOW + timedelta(seconds=2))

    assert job.queue_time == timedelta(seconds=2)
    assert job.execution_time is None


def test_a_finished_job_knows_all_its_times() -> None:
    second = timedelta(seconds=1)
    job = a_job(
        created_at=NOW,
        run_at=NOW + second,
        started_at=NOW + 3 * second,
        finished_at=NOW + 7 * second,
    )

    assert job.queue_time == 2 * second
    assert job.execution_time == 4 * second
    assert job.total_time == 7 * second
