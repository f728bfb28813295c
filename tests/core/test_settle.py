"""What settle promises, for any way in which attempts can end."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.makers import CLAIM
from windlass.core.backoff import DEFAULT_BACKOFF, Backoff
from windlass.core.claim import Claim
from windlass.core.duration import LONGEST
from windlass.core.job import TRANSITIONS, Lane, State
from windlass.core.outcome import (
    Cancelled,
    Crashed,
    Done,
    Ending,
    Failed,
    HandedBack,
    Snoozed,
)
from windlass.core.settle import Settlement, settle

seconds = st.floats(allow_nan=True, allow_infinity=True)
chances = st.floats(0, 1)
counted: st.SearchStrategy[Ending] = st.one_of(
    st.builds(Failed, st.text(max_size=5), retry_after=st.none() | seconds),
    st.just(Crashed(alone=True)),
)
uncounted: st.SearchStrategy[Ending] = st.one_of(
    st.builds(Snoozed, seconds), st.just(HandedBack()), st.just(Crashed(alone=False))
)
final: st.SearchStrategy[Ending] = st.one_of(
    st.builds(Done, st.none() | st.just("1")),
    st.just(Cancelled()),
    st.builds(Failed, st.just("no"), final=st.just(value=True)),
)
endings = st.one_of(counted, uncounted, final)
claims = st.builds(
    CLAIM._replace,
    fence=st.integers(1, 10**9),
    lane=st.sampled_from([Lane.OPEN, Lane.THREADS, Lane.ALONE]),
    threads=st.integers(0, 256),
    attempts=st.integers(0, 50),
    max_attempts=st.integers(1, 20),
    max_crashes=st.integers(1, 20),
)


def ended(claim: Claim, ending: Ending, chance: float = 0.5) -> Settlement:
    return settle(claim, ending, backoff=DEFAULT_BACKOFF, chance=chance)


def claimed_again(claim: Claim, settlement: Settlement) -> Claim:
    return claim._replace(
        fence=settlement.fence_after + 1,
        lane=settlement.lane,
        attempts=settlement.attempts,
        failures=settlement.failures,
        crashes=settlement.crashes,
    )


@given(claims, st.lists(counted, min_size=40, max_size=40), chances)
def test_failures_and_crashes_come_to_an_end_within_what_is_allowed(
    claim: Claim, story: list[Ending], chance: float
) -> None:
    attempts = 0
    settlement = ended(claim, HandedBack())
    for ending in story:
        claim = claimed_again(claim, settlement)
        settlement = ended(claim, ending, chance)
        attempts += 1
        if settlement.state.finished:
            break

    assert settlement.state is State.FAILED
    assert settlement.failures <= claim.max_attempts
    assert settlement.crashes <= claim.max_crashes
    assert attempts <= claim.max_attempts + claim.max_crashes - 1


@given(claims, endings, chances)
def test_a_running_job_goes_only_where_a_running_job_may_go(
    claim: Claim, ending: Ending, chance: float
) -> None:
    settlement = ended(claim, ending, chance)

    assert settlement.state in TRANSITIONS[State.RUNNING]


@given(claims, st.lists(endings, max_size=20))
def test_the_fence_never_shrinks_and_each_claim_has_one_of_its_own(
    claim: Claim, story: list[Ending]
) -> None:
    fences = [claim.fence]
    for ending in story:
        settlement = ended(claim, ending)
        assert settlement.fence == claim.fence
        assert settlement.fence_after >= settlement.fence
        claim = claimed_again(claim, settlement)
        fences.append(claim.fence)

    assert fences == sorted(set(fences))


@given(claims, endings)
def test_whoever_gave_a_job_up_cannot_come_back(claim: Claim, ending: Ending) -> None:
    settlement = ended(claim, ending)

    given_up = isinstance(ending, HandedBack | Crashed)
    assert (settlement.fence_after > settlement.fence) == given_up


@given(claims, endings)
def test_attempts_count_those_that_the_handler_ended(claim: Claim, ending: Ending) -> None:
    settlement = ended(claim, ending)

    by_the_handler = isinstance(ending, Done | Failed)
    assert settlement.attempts == claim.attempts + by_the_handler
    assert settlement.failures == claim.failures + isinstance(ending, Failed)
    alone = isinstance(ending, Crashed) and ending.alone
    assert settlement.crashes == claim.crashes + alone


@given(claims, endings, chances)
def test_every_wait_is_one_that_a_database_can_add_to_a_date(
    claim: Claim, ending: Ending, chance: float
) -> None:
    settlement = ended(claim, ending, chance)

    assert math.isfinite(settlement.delay)
    assert 0 <= settlement.delay <= LONGEST.total_seconds() * 1.1


@given(claims, endings)
def test_only_what_waits_has_a_delay(claim: Claim, ending: Ending) -> None:
    settlement = ended(claim, ending)

    assert settlement.delay == 0 or settlement.state is State.SCHEDULED


@given(claims, endings)
def test_a_suspect_stays_one_until_it_ends_in_another_way(claim: Claim, ending: Ending) -> None:
    settlement = ended(claim, ending)

    if isinstance(ending, Crashed):
        assert settlement.lane is Lane.ALONE
    elif isinstance(ending, HandedBack):
        assert settlement.lane is claim.lane
    elif not settlement.state.finished:
        assert settlement.lane is (Lane.THREADS if claim.threads else Lane.OPEN)


def test_a_done_job_is_completed_with_its_result() -> None:
    settlement = settle(
        CLAIM, Done('"ok"'), backoff=DEFAULT_BACKOFF, chance=0, started=1.0, ended=2.5
    )

    assert settlement.state is State.COMPLETED
    assert settlement.result == '"ok"'
    assert (settlement.started, settlement.ended) == (1.0, 2.5)
    assert settlement.worker == CLAIM.worker


@pytest.mark.parametrize(("failures", "delay"), [(0, 2), (1, 4)])
def test_a_failure_retries_after_two_seconds_and_then_twice_as_long(
    failures: int, delay: float
) -> None:
    settlement = ended(CLAIM._replace(failures=failures), Failed("no", "trace"), chance=0)

    assert settlement.state is State.SCHEDULED
    assert settlement.delay == delay
    assert (settlement.error, settlement.trace) == ("no", "trace")


def test_the_last_failure_is_for_good() -> None:
    settlement = ended(CLAIM._replace(failures=2), Failed("no"))

    assert (settlement.state, settlement.reason) == (State.FAILED, "attempts")


def test_a_final_failure_is_for_good_at_once() -> None:
    settlement = ended(CLAIM, Failed("no", final=True))

    assert (settlement.state, settlement.reason) == (State.FAILED, "final")


def test_a_retry_comes_no_sooner_than_the_server_asked_for() -> None:
    settlement = ended(CLAIM, Failed("429", retry_after=120))

    assert settlement.delay == 120


def test_a_retry_after_less_than_the_backoff_changes_nothing() -> None:
    settlement = ended(CLAIM, Failed("429", retry_after=0.5), chance=0)

    assert settlement.delay == 2


def test_an_endless_retry_after_is_cut_to_a_century() -> None:
    settlement = ended(CLAIM, Failed("429", retry_after=math.inf))

    assert settlement.delay == LONGEST.total_seconds()


def test_a_snooze_is_held_against_nobody() -> None:
    settlement = ended(CLAIM._replace(failures=2), Snoozed(30))

    assert (settlement.state, settlement.delay) == (State.SCHEDULED, 30)
    assert (settlement.attempts, settlement.failures) == (0, 2)


def test_a_death_in_company_proves_nothing() -> None:
    settlement = ended(CLAIM, Crashed(alone=False))

    assert (settlement.state, settlement.lane) == (State.PENDING, Lane.ALONE)
    assert settlement.crashes == 0


def test_who_is_not_to_blame_for_a_death_stays_in_its_lane() -> None:
    settlement = ended(CLAIM, Crashed(alone=False, suspect=False))

    assert (settlement.state, settlement.lane) == (State.PENDING, CLAIM.lane)
    assert (settlement.fence_after, settlement.crashes) == (CLAIM.fence + 1, 0)


def test_the_last_crash_alone_fails_the_job_by_crash() -> None:
    settlement = ended(CLAIM._replace(crashes=2, lane=Lane.ALONE), Crashed(alone=True))

    assert (settlement.state, settlement.reason) == (State.FAILED, "crash")
    assert settlement.crashes == 3


def test_crashes_before_the_last_wait_longer_each_time() -> None:
    backoff = Backoff(base=1, jitter=0)

    delays = [
        settle(
            CLAIM._replace(crashes=crashes, max_crashes=9),
            Crashed(alone=True),
            backoff=backoff,
            chance=0,
        ).delay
        for crashes in range(4)
    ]

    assert delays == [1, 2, 4, 8]


def test_a_cancelled_job_says_so() -> None:
    settlement = ended(CLAIM, Cancelled())

    assert (settlement.state, settlement.reason) == (State.CANCELLED, "cancelled")
