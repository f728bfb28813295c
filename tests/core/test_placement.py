"""How much is claimed: never more than there is room for, never less than keeps everyone busy."""

import heapq
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from windlass.core.limits import MAX_THREADS
from windlass.core.placement import (
    NO_TIME,
    PORTION_BYTES,
    RARE,
    Berth,
    Head,
    Widest,
    appetite,
    granted,
    leading,
    pace,
    portion,
    prefetch,
    reserves,
    shares,
    surplus,
)


def berth(*, free: int = 0, held: int = 0, prefetch: int = 0, share: float = 1.0) -> Berth:
    return Berth(free=free, held=held, prefetch=prefetch, share=share)


def test_an_idle_worker_asks_for_as_many_as_it_has_slots() -> None:
    wanted = appetite({"loop": berth(free=100)}, free_slots=100, limit=500)

    assert wanted.limit == 100
    assert wanted.ways == {"loop"}


def test_short_jobs_are_asked_for_ahead() -> None:
    wanted = appetite({"loop": berth(free=100, prefetch=300)}, free_slots=100, limit=500)

    assert wanted.limit == 400


def test_held_claims_are_refilled_at_half() -> None:
    well_filled = berth(free=0, held=200, prefetch=300)
    half_empty = berth(free=0, held=150, prefetch=300)

    assert appetite({"loop": well_filled}, free_slots=0, limit=500).limit == 0
    assert appetite({"loop": half_empty}, free_slots=0, limit=500).limit == 150


def test_a_way_without_room_is_left_out() -> None:
    ways = {"loop": berth(free=50, share=0.5), "thread": berth(free=0, share=0.5)}

    wanted = appetite(ways, free_slots=50, limit=500)

    assert wanted.ways == {"loop"}
    assert wanted.limit == 50


def test_a_way_that_jobs_often_take_is_not_flooded() -> None:
    ways = {"loop": berth(free=100, share=0.5), "process": berth(free=4, share=0.5)}

    assert appetite(ways, free_slots=100, limit=500).limit == 8


def test_a_way_that_jobs_never_take_does_not_hold_the_others_back() -> None:
    ways = {
        "loop": berth(free=100, prefetch=2000, share=1.0),
        "process": berth(free=4, share=0.0),
    }

    assert appetite(ways, free_slots=100, limit=500).limit == 500


def test_a_way_that_jobs_never_take_waits_for_the_others_to_be_refilled() -> None:
    never = berth(free=100, share=0.0)
    draining = berth(free=0, held=60, prefetch=100, share=1.0)
    half = berth(free=0, held=50, prefetch=100, share=1.0)
    full = berth(free=0, held=50, prefetch=50, share=1.0)

    def asked(thread: Berth) -> tuple[list[str], int]:
        wanted = appetite({"loop": never, "thread": thread}, free_slots=68, limit=500)
        return sorted(wanted.ways), wanted.limit

    assert asked(draining) == ([], 0)
    assert asked(half) == (["loop", "thread"], 50)
    assert asked(full) == (["loop"], 18)


def test_without_room_in_the_backlog_nothing_is_asked_for() -> None:
    assert appetite({"loop": berth(free=100)}, free_slots=100, limit=-3).limit == 0


def test_shares_follow_what_comes() -> None:
    first = {"loop": 0.5, "thread": 0.5}

    then = shares(first, {"loop": 10}, ["loop", "thread"])
    unasked = shares(first, {"loop": 10}, ["loop"])
    nothing = shares(first, {}, ["loop", "thread"])

    assert then == {"loop": 0.75, "thread": 0.25}
    assert unasked == {"loop": 0.75, "thread": 0.5}
    assert nothing == first


def test_the_pace_follows_the_last_tenth_of_a_second() -> None:
    assert pace(0.0, 100, 10.0) == 10.0
    assert pace(1000.0, 0, 1.0) < 1.0
    assert pace(1000.0, 0, 0.001) > 980.0
    assert pace(5.0, 7, 0.0) == 5.0


def test_prefetch_is_fifty_milliseconds_of_work() -> None:
    assert prefetch(10_000.0, 2000) == 500
    assert prefetch(100_000.0, 2000) == 2000
    assert prefetch(10.0, 2000) == 0


def test_claims_whose_turn_is_far_away_are_too_many() -> None:
    assert surplus(500, 10_000.0) == 0
    assert surplus(500, 100.0) == 495
    assert surplus(5, 0.0) == 5
    assert surplus(0, 0.0) == 0


def test_a_job_wider_than_every_worker_runs_on_one_thread() -> None:
    assert granted(3, most=4) == 3
    assert granted(9, most=4) == 1
    assert granted(0, most=4) == 0


def test_threads_are_kept_free_for_a_wide_job_that_has_waited() -> None:
    wide = Head(threads=4, waited=10.0)

    assert reserves(wide, free=2, threads=4, widest=4, patience=5.0)
    assert not reserves(wide, free=4, threads=4, widest=4, patience=5.0)  # it fits
    assert not reserves(wide, free=2, threads=3, widest=4, patience=5.0)  # not on this worker
    assert not reserves(wide, free=2, threads=4, widest=4, patience=15.0)  # it can wait
    assert not reserves(wide, free=1, threads=3, widest=3, patience=5.0)  # it runs on one
    assert not reserves(None, free=2, threads=4, widest=4, patience=5.0)


def test_who_has_heard_nothing_takes_no_job_for_too_wide() -> None:
    assert Widest().at(0.0) == MAX_THREADS
    assert Widest().hear(4, 0.0, 5.0).at(0.0) == 4


def test_a_wider_worker_counts_at_once_and_a_lost_one_for_a_while_yet() -> None:
    widest = Widest().hear(4, 0.0, 5.0).hear(8, 1.0, 5.0)
    lost = widest.hear(4, 2.0, 5.0).hear(4, 3.0, 5.0)
    back = lost.hear(8, 4.0, 5.0)

    assert widest.at(1.0) == 8
    assert [lost.at(3.0), lost.at(6.9), lost.at(7.0)] == [8, 8, 4]
    assert [back.at(4.0), back.at(100.0)] == [8, 8]


@given(
    said=st.lists(st.tuples(st.integers(0, 256), st.floats(0, 10)), min_size=1, max_size=30),
    patience=st.floats(0, 10),
)
def test_what_no_worker_has_had_for_its_patience_is_not_waited_for(
    said: list[tuple[int, float]], patience: float
) -> None:
    now, widest, lately = 0.0, Widest(), []
    for threads, later in said:
        now += later
        lately.append((now, threads))
        widest = widest.hear(threads, now, patience)

        assert widest.at(now) >= threads
        assert widest.at(now) in {threads for _, threads in lately}
        assert widest.at(now + patience) == threads


def start_of(wide: int, threads: int, patience: float, narrow: Sequence[float]) -> float:
    """When a wide job starts that comes at 0 to a worker full of narrow ones, with more to come.

    The worker claims whenever threads come free, as `Claimer` does: first who stands first, if it
    fits; else whoever fits, unless the free threads are kept.
    """
    stream = iter(narrow)
    ends = [next(stream) for _ in range(threads)]
    heapq.heapify(ends)
    while True:
        now = heapq.heappop(ends)
        free = threads - len(ends)
        if free >= wide:
            return now
        head = Head(threads=wide, waited=now)
        if not reserves(head, free=free, threads=threads, widest=threads, patience=patience):
            heapq.heappush(ends, now + next(stream))


@given(
    threads=st.integers(1, 16),
    part=st.floats(0.1, 1),
    patience=st.floats(0, 5),
    narrow=st.lists(st.floats(0.01, 3), min_size=1, max_size=20),
)
def test_a_wide_job_waits_no_longer_than_its_patience_and_the_longest_narrow_one(
    threads: int, part: float, patience: float, narrow: list[float]
) -> None:
    wide = max(1, round(threads * part))
    lasts = [narrow[number % len(narrow)] for number in range(threads + 20_000)]

    start = start_of(wide, threads, patience, lasts)

    assert start <= patience + max(narrow) + 1e-6


berths = st.builds(
    Berth,
    free=st.integers(0, 200),
    held=st.integers(0, 3000),
    prefetch=st.integers(0, 2000),
    share=st.floats(0, 1),
)


@given(
    ways=st.dictionaries(st.sampled_from(["loop", "thread", "process"]), berths, min_size=1),
    free_slots=st.integers(0, 200),
    limit=st.integers(-10, 500),
)
def test_what_is_asked_for_fits(ways: dict[str, Berth], free_slots: int, limit: int) -> None:
    wanted = appetite(ways, free_slots=free_slots, limit=limit)

    assert 0 <= wanted.limit <= max(limit, 0)
    assert all(ways[way].room > 0 for way in wanted.ways)
    total = sum(ways[way].share for way in wanted.ways) or 1.0
    for way in wanted.ways:
        share = ways[way].share / total
        assert wanted.limit * share <= ways[way].room + 1e-6 or share < RARE


@given(
    paces=st.lists(st.tuples(st.integers(0, 10_000), st.floats(0, 10)), max_size=30),
    before=st.floats(0, 1e6),
)
def test_the_pace_stays_between_what_was_measured(
    paces: list[tuple[int, float]], before: float
) -> None:
    seen = [before]
    for finished, seconds in paces:
        before = pace(before, finished, seconds)
        seen.append(finished / seconds if seconds >= NO_TIME else before)
        assert min(seen) - 1e-6 <= before <= max(seen) * (1 + 1e-9) + 1e-6


def test_small_jobs_are_taken_as_many_at_once_as_the_settings_say() -> None:
    sizes = [100] * 500

    taken = portion(sizes, 500)

    assert taken == 500
    assert portion([], 500) == 500


def test_of_large_jobs_so_many_are_taken_at_once_as_a_statement_can_carry() -> None:
    sizes = [100_000] * 500

    taken = portion(sizes, 500)

    assert taken * 100_000 <= PORTION_BYTES < (taken + 1) * 100_000
    assert portion([PORTION_BYTES * 2], 500) == 1


def test_of_ends_that_wait_the_first_ones_go_together_that_a_statement_can_carry() -> None:
    half = PORTION_BYTES // 2

    together = leading([half, half, 1])

    assert together == 2
    assert leading([3 * half, 1]) == 1
    assert leading([1, 2, 3]) == 3
