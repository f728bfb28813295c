"""A host that fails time and again is left alone, and found out about by one."""

from windlass.executors.breaker import FAILURES, PROBE_WITHIN, REST, Breaker


def broken(now: float = 0.0) -> Breaker:
    """A breaker of a host that has just failed once too often."""
    breaker = Breaker()
    for _ in range(FAILURES):
        breaker.failed(now)
    return breaker


def test_a_few_failures_change_nothing() -> None:
    breaker = Breaker()
    for _ in range(FAILURES - 1):
        breaker.failed(0.0)

    assert breaker.admit(0.0) == 0
    assert breaker.resting(0.0) == 0


def test_one_success_in_between_starts_the_count_anew() -> None:
    breaker = Breaker()
    for _ in range(3 * FAILURES):
        breaker.failed(0.0)
        breaker.succeeded()

    assert breaker.admit(0.0) == 0


def test_a_host_that_failed_in_a_row_has_rest() -> None:
    breaker = broken(now=100.0)

    assert breaker.resting(100.0) == REST
    assert breaker.admit(110.0) == REST - 10
    assert breaker.rests == 1


def test_failures_that_were_under_way_do_not_prolong_the_rest() -> None:
    breaker = broken(now=100.0)

    breaker.failed(120.0)

    assert breaker.resting(120.0) == REST - 20
    assert breaker.rests == 1


def test_after_the_rest_one_finds_out_and_the_others_wait() -> None:
    breaker = broken()

    admitted = [breaker.admit(REST) for _ in range(3)]

    assert admitted == [0, PROBE_WITHIN, PROBE_WITHIN]


def test_if_it_is_well_again_all_are_let_through() -> None:
    breaker = broken()
    breaker.admit(REST)

    breaker.succeeded()

    assert [breaker.admit(REST) for _ in range(3)] == [0, 0, 0]


def test_if_it_is_not_it_rests_again() -> None:
    breaker = broken()
    breaker.admit(REST)

    breaker.failed(REST + 1)

    assert breaker.resting(REST + 1) == REST
    assert breaker.rests == 2


def test_if_nothing_is_heard_of_the_one_another_goes() -> None:
    breaker = broken()
    breaker.admit(REST)

    assert breaker.admit(REST + PROBE_WITHIN) == 0
