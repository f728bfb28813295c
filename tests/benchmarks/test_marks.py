"""Whether a run shows what is asked of Windlass."""

import pytest
from msgspec.structs import replace

from benchmarks.figure import Verdict
from benchmarks.peers.marks import finalists, rulings
from benchmarks.peers.measure import Sample
from tests.benchmarks.sides import OURS, PEER, outcome

POSTGRES = replace(OURS, side="windlass_postgres", name="Windlass")
DURABLE = replace(PEER, side="durable", name="Durable", store="postgres", durable=True)


def test_the_fastest_peer_is_the_one_to_beat() -> None:
    run = outcome(
        POSTGRES, PEER, DURABLE, drain={"windlass_postgres": 16, "peer": 9, "durable": 10}
    )

    [ruling, on_redis] = rulings(run)

    assert (ruling.peer, ruling.against, ruling.ratio) == ("Durable", 10, 1.6)
    assert ruling.verdict is Verdict.REACHED
    assert (on_redis.peer, on_redis.verdict) == ("Peer", Verdict.MISSED)


def test_what_is_compared_is_of_the_same_round() -> None:
    run = outcome(POSTGRES, DURABLE, enqueue={"windlass_postgres": 20, "durable": 10})
    run.round = 1  # on a machine that has become slow
    run.add(POSTGRES, Sample("enqueue", 4))
    run.add(DURABLE, Sample("enqueue", 2))
    run.round = 2  # and that the other did not see
    run.add(POSTGRES, Sample("enqueue", 4))

    [ruling] = rulings(run)

    assert (ruling.value, ruling.against, ruling.ratio) == (12, 6, 2)
    assert ruling.verdict is Verdict.REACHED


def test_who_is_late_is_forgiven_a_millisecond_and_no_more() -> None:
    run = outcome(POSTGRES, PEER, pickup_p50={"windlass_postgres": 1.6, "peer": 0.6})
    late = outcome(POSTGRES, PEER, pickup_p50={"windlass_postgres": 1.7, "peer": 0.6})

    assert [ruling.verdict for ruling in rulings(run)] == [Verdict.REACHED]
    assert [ruling.verdict for ruling in rulings(late)] == [Verdict.MISSED]


def test_one_by_one_only_the_durable_compete() -> None:
    values = {"windlass_postgres": 3, "peer": 9, "durable": 2}

    [ruling] = rulings(outcome(POSTGRES, PEER, DURABLE, enqueue=values))

    assert (ruling.peer, ruling.verdict) == ("Durable", Verdict.REACHED)


@pytest.mark.parametrize(("twice", "verdict"), [(0, Verdict.REACHED), (1, Verdict.MISSED)])
def test_no_peer_is_needed_to_have_an_effect_once(twice: int, verdict: Verdict) -> None:
    [ruling] = rulings(outcome(POSTGRES, effects_twice={"windlass_postgres": twice}))

    assert ruling.verdict is verdict


def test_a_figure_of_ours_that_could_not_be_taken_misses_its_mark() -> None:
    run = outcome(POSTGRES, DURABLE, enqueue={"windlass_postgres": "it broke", "durable": 2})

    assert [ruling.verdict for ruling in rulings(run)] == [Verdict.MISSED]


def test_a_mark_that_nothing_was_measured_for_is_left_out() -> None:
    assert list(rulings(outcome(POSTGRES, enqueue={"windlass_postgres": 3}))) == []


def test_those_who_decide_a_mark_are_its_finalists() -> None:
    slow = replace(DURABLE, side="slow", name="Slow")
    values = {"windlass_postgres": 3, "peer": 9, "durable": 2, "slow": 1}
    run = outcome(POSTGRES, PEER, DURABLE, slow, enqueue=values, kill_not_done=values)

    found = [(measure.name, [one.side for one in sides]) for measure, sides in finalists(run)]

    assert found == [("enqueue", ["windlass_postgres", "durable"])]
