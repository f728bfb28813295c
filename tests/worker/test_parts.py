"""The small parts of a worker: its lines, its slots, and where it stands in a lane."""

import pytest

from tests.core.makers import CLAIM
from windlass.core.claim import Claim
from windlass.core.job import JobId, Lane
from windlass.core.marks import EVERYWHERE, Look
from windlass.worker.front import PROBE, Front
from windlass.worker.line import Line
from windlass.worker.slots import Slots
from windlass.worker.wording import error_text, error_trace, kept, message_text

NOW_US = 1_700_000_000_000_000


def claims(*ranks: int) -> list[Claim]:
    return [CLAIM._replace(rank=rank, id=JobId(f"job {rank}")) for rank in ranks]


def look(
    *, full: bool = False, swept: bool = False, ended: float = 100.0, now_us: int = NOW_US
) -> Look:
    return Look(swept=swept, full=full, now_us=now_us, ended=ended, took=0.001, highest=NOW_US)


def open_front() -> Front:
    return Front(lane=Lane.OPEN, types=["a"], marked=True)


def test_a_better_claim_goes_before_those_that_wait() -> None:
    line = Line()
    line.add(claims(5, 7, 9))
    line.add(claims(6, 8))
    line.add(claims(10))

    assert [claim.rank for claim in line.claims] == [5, 6, 7, 8, 9, 10]


def test_the_last_in_line_are_the_first_to_go_back() -> None:
    line = Line()
    line.add(claims(1, 2, 3, 4))

    assert [claim.rank for claim in line.take_back(2)] == [4, 3]
    assert len(line.take_back(99)) == 2
    assert len(line) == 0


def test_one_claim_is_taken_out_by_its_id_and_fence() -> None:
    line = Line()
    line.add(claims(1, 2, 3))

    assert line.remove(JobId("job 2"), CLAIM.fence + 1) is None
    assert line.remove(JobId("job 2"), CLAIM.fence) is not None
    assert [claim.rank for claim in line.claims] == [1, 3]


def test_claims_that_have_just_come_are_not_said_to_linger() -> None:
    line = Line()
    empty = line.lingers()
    line.add(claims(1, 2))
    new = line.lingers()
    line.take_back(1)
    waiting = line.lingers()
    line.take_back(1)

    assert (empty, new, waiting, line.lingers()) == (False, False, True, False)


def test_claims_that_have_just_come_do_not_linger_though_others_waited_before_them() -> None:
    line = Line()
    line.add(claims(1))
    line.lingers()

    line.take_back(1)
    line.add(claims(2))

    assert not line.lingers()


def test_the_pace_counts_only_time_with_work() -> None:
    line = Line()
    line.sample(0.0, busy=False)
    line.sample(100.0, busy=True)  # nothing to do until now
    line.finished = 50
    line.sample(101.0, busy=False)

    assert 49 < line.pace <= 50


def test_slots_are_taken_and_given_back() -> None:
    slots = Slots(2, threads=4)
    offers: list[int] = []
    slots.offer = lambda: offers.append(slots.running)

    assert slots.take()
    assert slots.take()
    assert not slots.take()
    slots.give()
    slots.give()

    assert offers == [1]
    assert slots.running == 0


def test_threads_come_free_when_the_attempt_has_ended_and_is_settled() -> None:
    slots = Slots(10, threads=4)
    claim = CLAIM._replace(threads=3)
    slots.grant(claim)
    assert slots.free_threads == 1
    assert slots.threads_of(claim) == 3

    slots.drop(claim)
    assert slots.free_threads == 1

    slots.drop(claim)
    slots.drop(claim)
    assert slots.free_threads == 4


def test_another_attempt_of_the_same_job_has_threads_of_its_own() -> None:
    slots = Slots(10, threads=4)
    first, second = CLAIM._replace(threads=1), CLAIM._replace(threads=1, fence=CLAIM.fence + 1)
    slots.grant(first)
    slots.grant(second)

    slots.drop(second)
    slots.drop(second)

    assert slots.free_threads == 3


def test_a_full_claim_is_followed_by_the_next_at_once() -> None:
    front = open_front()

    front.answered(look(full=True), 10, poll=1.0)

    assert front.due < 100.0


def test_an_empty_claim_is_followed_by_a_sweep_and_then_by_a_pause() -> None:
    front = open_front()
    front.answered(look(swept=True, ended=100.0), 0, poll=1.0)
    assert front.due == 101.0

    front.answered(look(ended=100.1), 0, poll=1.0)
    assert front.due == 100.2

    front.answered(look(swept=True, ended=100.2), 0, poll=1.0)
    assert front.due == 101.2


def test_a_short_claim_is_followed_by_a_sweep_after_a_lull() -> None:
    front = open_front()
    front.answered(look(swept=True, ended=100.0), 0, poll=1.0)

    front.answered(look(ended=100.1), 3, poll=1.0)

    assert front.due == 100.6


def test_a_bell_makes_the_open_lane_due_at_once_and_a_side_lane_soon() -> None:
    front, side = open_front(), Front(lane=Lane.THREADS, types=["a"], marked=True)
    for one in (front, side):
        one.answered(look(swept=True, ended=100.0), 0, poll=1.0)
        one.rung()

    assert front.due < 100.0
    assert side.due == 100.0 + PROBE


def test_a_claim_of_wide_jobs_is_not_short_because_it_did_not_fill_up() -> None:
    side = Front(lane=Lane.THREADS, types=["a"], marked=True)

    side.answered(look(swept=True), 1, poll=1.0)

    assert side.due < 100.0


def test_the_whole_line_is_looked_at_while_the_time_is_unknown() -> None:
    front = open_front()
    assert front.look_at(100.0, 0, 1) == (EVERYWHERE, True)

    front.answered(look(swept=True, now_us=0), 0, poll=1.0)
    assert front.due == 101.0
    assert front.look_at(100.0, NOW_US, 1) == (EVERYWHERE, True)

    front.answered(look(swept=True), 0, poll=1.0)
    ranges, swept = front.look_at(100.1, NOW_US, 1)
    assert not swept
    assert ranges != EVERYWHERE


def test_an_error_is_told_in_one_line() -> None:
    assert error_text(ValueError("no")) == "ValueError: no"
    assert error_text(KeyError()) == "KeyError"
    assert error_text(Speechless()) == "Speechless: (it cannot say what is wrong)"
    assert len(error_text(ValueError("x" * 10_000))) == 2_000


def test_the_end_of_a_long_trace_is_kept() -> None:
    def deeper(depth: int) -> None:
        if not depth:
            raise ValueError("x" * 20_000 + "the end")
        deeper(depth - 1)

    with pytest.raises(ValueError, match="the end") as raised:
        deeper(20)
    trace = error_trace(raised.value)

    assert trace.endswith("the end\n")
    assert len(trace) < 16_100


def test_text_is_cut_and_made_unicode() -> None:
    assert kept("plain") == "plain"
    assert kept("a\0b") == "a\N{REPLACEMENT CHARACTER}b"
    assert kept("é\0\ud800") == "é\N{REPLACEMENT CHARACTER}?"
    assert kept("abcdefghij", 5) == "abc …"


def test_a_secret_is_hidden_also_where_its_message_is_cut() -> None:
    token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmVk"  # noqa: S105 — to be hidden

    message = message_text("x" * 7_970 + " " + token + " y" * 100)

    assert message.startswith("x" * 7_970 + " eyJ*** y")
    assert len(message) == 8_000


class Speechless(Exception):
    """An error that fails at telling what is wrong."""

    def __str__(self) -> str:
        """Fail."""
        raise RuntimeError
