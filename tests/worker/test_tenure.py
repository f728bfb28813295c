"""Who may judge others: only one whose own lease was never in doubt."""

import pytest

from windlass.worker.tenure import LeaseTerms, Tenure

TERMS = LeaseTerms(ttl=15, every=3)
SKEW = 1_700_000_000  # the database's clock minus ours, in seconds


def renew(tenure: Tenure, *instants: float, skew: float = SKEW) -> None:
    for instant in instants:
        tenure.renewed(instant, instant + 0.01, round((instant + skew) * 1e6))


def test_the_lease_is_trusted_for_four_fifths_counted_from_before_it_was_sent() -> None:
    deadline = Tenure(TERMS).renewed(sent=100.0, answered=104.0, now_us=0)

    assert deadline == pytest.approx(112.0)


def test_a_node_judges_after_one_unbroken_lease() -> None:
    tenure = Tenure(TERMS)
    renew(tenure, 0, 3, 6, 9, 12, 15)

    assert not tenure.unbroken(14.9)
    assert tenure.unbroken(15.1)


def test_a_node_that_never_renewed_judges_nobody() -> None:
    assert not Tenure(TERMS).unbroken(1_000)


def test_a_failed_renewal_begins_the_count_anew() -> None:
    tenure = Tenure(TERMS)
    renew(tenure, 0, 3, 6, 9, 12, 15)
    tenure.failed()
    renew(tenure, 19)

    assert not tenure.unbroken(20)
    renew(tenure, 22, 25, 28, 31, 34)
    assert tenure.unbroken(34.5)


def test_a_gap_of_two_renewals_begins_the_count_anew() -> None:
    tenure = Tenure(TERMS)
    renew(tenure, 0, 3, 6, 9, 12, 15, 21.5)

    assert not tenure.unbroken(22)


def test_a_node_that_was_frozen_does_not_judge_when_it_wakes() -> None:
    tenure = Tenure(TERMS)
    renew(tenure, 0, 3, 6, 9, 12, 15)

    assert not tenure.unbroken(40)


@pytest.mark.parametrize("jump", [-30, -1.5, 1.5, 30])
def test_a_jump_of_the_databases_clock_begins_the_count_anew(jump: float) -> None:
    tenure = Tenure(TERMS)
    renew(tenure, 0, 3, 6, 9, 12, 15)
    renew(tenure, 18, skew=SKEW + jump)

    assert not tenure.unbroken(18.5)


def test_a_clock_that_drifts_is_no_jump() -> None:
    tenure = Tenure(TERMS)
    for number in range(7):
        renew(tenure, 3 * number, skew=SKEW + 0.2 * number)

    assert tenure.unbroken(18.5)


def test_a_slow_answer_is_no_jump() -> None:
    tenure = Tenure(TERMS)
    renew(tenure, 0, 3, 6, 9, 12, 15)
    # Answered 4 s after it was sent, by a clock that was read at the very end.
    tenure.renewed(18, 22, round((22 + SKEW) * 1e6))

    assert tenure.unbroken(22)


def test_a_clock_that_was_set_since_the_last_renewal_is_noticed() -> None:
    tenure = Tenure(TERMS)
    renew(tenure, 0, 3)

    assert tenure.agrees(4.0, round((4.0 + SKEW) * 1e6))
    assert not tenure.agrees(4.0, round((4.0 + SKEW + 20) * 1e6))
    assert not Tenure(TERMS).agrees(4.0, 0)
