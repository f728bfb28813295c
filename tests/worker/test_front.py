"""Where a worker looks in a lane, and when it looks again."""

from itertools import pairwise

from windlass.core.job import Lane
from windlass.core.marks import EVERYWHERE, Look
from windlass.worker.front import LONG_AGO, LULL, Front

NOW_US = 1_700_000_000_000_000
POLL = 1.0
SLOW = 0.05  # seconds of a sweep past many dead rows


def front(took: float = SLOW) -> Front:
    """One that swept an empty line a while before 100 s."""
    made = Front(lane=Lane.OPEN, types=["mail"], marked=True)
    answer(made, ended=90.0, took=took, swept=True)
    return made


def answer(
    front: Front,
    *,
    ended: float,
    took: float = 0.001,
    swept: bool = False,
    full: bool = False,
    came: int = 0,
) -> None:
    now_us = NOW_US + round(ended * 1e6)
    look = Look(
        swept=swept, full=full, now_us=now_us, ended=ended, took=took, highest=now_us - 10**9
    )
    front.answered(look, came, poll=POLL)


def sweeps(front: Front, now: float) -> bool:
    ranges, swept = front.look_at(now, NOW_US + round(now * 1e6), 60_000_000)
    assert swept == (ranges == EVERYWHERE)
    return swept


def test_what_rings_does_not_wait_for_a_sweep_that_takes_long() -> None:
    one = front()

    one.rung()
    one.rung()

    assert one.due == LONG_AGO
    assert not sweeps(one, 100.0)


def test_what_rings_is_found_by_a_sweep_that_takes_no_time() -> None:
    one = front(took=0.001)

    one.rung()

    assert sweeps(one, 100.0)


def test_the_sweep_that_was_due_comes_right_after() -> None:
    one = front()
    one.rung()

    answer(one, ended=100.0, came=1)

    assert one.due <= 100.0
    assert sweeps(one, 100.0)


def test_rings_without_end_do_not_keep_it_from_sweeping() -> None:
    one = front()
    swept_at = []
    for tick in range(2_000):
        now = 100.0 + tick * 0.01
        if tick % 5 == 0:
            one.rung()
        if one.due <= now:
            swept = sweeps(one, now)
            swept_at += [now] if swept else []
            answer(one, ended=now, took=SLOW if swept else 0.001, swept=swept, came=not swept)

    pauses = [later - earlier for earlier, later in pairwise(swept_at)]
    assert max(pauses) <= 10 * SLOW + LULL + 0.05


def test_a_line_that_is_long_is_swept_though_it_rings() -> None:
    one = front()
    answer(one, ended=100.0, full=True, came=5)

    one.rung()

    assert sweeps(one, 100.0)


def test_an_empty_line_is_swept_once_a_look_by_marks_found_nothing() -> None:
    one = front()
    one.rung()

    answer(one, ended=100.0)

    assert one.due <= 100.0
    assert sweeps(one, 100.0)


def test_new_jobs_wait_no_longer_than_a_poll_however_rare_sweeps_are() -> None:
    one = front(took=2.0)
    answer(one, ended=91.0, came=1)

    assert one.due <= 91.0 + POLL
    assert not sweeps(one, one.due)
