"""What marks promise: nothing that arrives is overlooked for longer than until the next sweep."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from windlass.core.marks import (
    EVERYWHERE,
    HIGHEST,
    MAX_PRIORITIES,
    SLACK_US,
    SWEEP_EVERY,
    Look,
    Marks,
)

NOW = 1_700_000_000_000_000
SECOND = 1_000_000
MINUTE = 60 * SECOND

priorities = st.integers(-100, 100)
agings = st.sampled_from([1_000, SECOND, MINUTE, 10**15])


def look(
    *,
    swept: bool = False,
    full: bool = True,
    now_us: int = NOW,
    ended: float = 100.0,
    took: float = 0.002,
    highest: int | None = None,
    met: tuple[int, ...] = (),
) -> Look:
    return Look(
        swept=swept,
        full=full,
        now_us=now_us,
        ended=ended,
        took=took,
        highest=highest,
        priorities=met,
    )


def within(rank: int, ranges: object) -> bool:
    assert isinstance(ranges, list | tuple)
    return any(low <= rank < high for low, high in ranges)


def test_the_first_claim_looks_everywhere() -> None:
    marks = Marks()

    assert marks.sweeps(0.0)
    assert marks.ranges(NOW, MINUTE) == EVERYWHERE


def test_a_full_claim_puts_the_mark_at_its_highest_rank() -> None:
    marks = Marks().after(look(swept=True, highest=NOW - MINUTE))

    assert marks.mark == NOW - MINUTE


def test_a_full_claim_that_reached_the_present_leaves_room_for_late_commits() -> None:
    marks = Marks().after(look(swept=True, highest=NOW))

    assert marks.mark == NOW - SLACK_US


def test_a_full_claim_from_further_back_takes_the_mark_back() -> None:
    marks = Marks().after(look(highest=NOW))

    marks = marks.after(look(swept=True, highest=NOW - 3600 * SECOND))

    assert marks.mark == NOW - 3600 * SECOND


def test_a_short_claim_puts_the_mark_at_the_present() -> None:
    marks = Marks().after(look(full=False, highest=NOW + 5 * MINUTE, met=(-5,)))

    assert marks.mark == NOW - SLACK_US


def test_a_higher_priority_that_was_met_lately_is_looked_for_below_the_mark() -> None:
    marks = Marks().after(look(highest=NOW - SECOND, met=(0, 3)))

    ranges = marks.ranges(NOW + SECOND, MINUTE)

    assert within(NOW + SECOND - 3 * MINUTE, ranges)
    assert not within(NOW - 10 * MINUTE, ranges)


def test_only_the_priorities_met_last_have_a_range() -> None:
    marks = Marks()
    for number, priority in enumerate(range(-100, 101)):
        marks = marks.after(look(now_us=NOW + number, highest=NOW, met=(priority,)))

    assert set(marks.priorities) == set(range(101 - MAX_PRIORITIES, 101))


def test_a_sweep_waits_for_ten_times_what_the_last_one_cost() -> None:
    quick = Marks().after(look(swept=True, ended=100.0, took=0.001, highest=NOW))
    slow = Marks().after(look(swept=True, ended=100.0, took=0.5, highest=NOW))

    assert not quick.sweeps(100.0 + SWEEP_EVERY - 0.001)
    assert quick.sweeps(100.0 + SWEEP_EVERY)
    assert not slow.sweeps(104.9)
    assert slow.sweeps(105.0)


def test_a_sweep_of_some_milliseconds_is_one_that_nobody_should_wait_for() -> None:
    quick = Marks().after(look(took=0.001)).after(look(swept=True, took=0.002))
    slow = Marks().after(look(took=0.001)).after(look(swept=True, took=0.012))

    assert not quick.costly
    assert slow.costly


def test_the_way_to_the_database_and_back_is_not_what_a_sweep_costs() -> None:
    far = Marks().after(look(took=0.3)).after(look(took=0.4))

    marks = far.after(look(swept=True, ended=100.0, took=0.301))

    assert not marks.costly
    assert marks.sweeps(100.0 + SWEEP_EVERY)


def test_a_short_claim_wants_a_sweep_unless_it_was_one() -> None:
    marks = Marks().after(look(swept=True, full=False))
    assert not marks.wants_sweep

    marks = marks.after(look(full=False))
    assert marks.wants_sweep

    marks = marks.after(look(full=True, highest=NOW))
    assert not marks.wants_sweep


@given(
    mark=st.integers(NOW - 10**9, NOW + 10**9),
    met=st.lists(priorities, max_size=30).map(tuple),
    passed=st.integers(0, 10**9),
    aging=agings,
)
def test_ranges_ascend_and_do_not_overlap(
    mark: int, met: tuple[int, ...], passed: int, aging: int
) -> None:
    marks = Marks().after(look(highest=mark, met=met))

    ranges = marks.ranges(NOW + passed, aging)

    assert all(low < high for low, high in ranges)
    assert all(before[1] < after[0] for before, after in pairwise(ranges))
    assert ranges[-1][1] == HIGHEST
    assert len(ranges) <= MAX_PRIORITIES + 1
    assert all(within(rank, ranges) for rank in (mark, NOW - SLACK_US, HIGHEST - 1))


@given(
    highest=st.integers(NOW - 10**12, NOW + 10**12),
    full=st.booleans(),
    priority=priorities,
    passed=st.integers(0, 10**9),
    arrived=st.floats(0, 1),
    late=st.integers(0, SLACK_US - 1),
    aging=agings,
)
def test_an_arrival_of_a_priority_met_lately_is_seen_at_once(
    *, highest: int, full: bool, priority: int, passed: int, arrived: float, late: int, aging: int
) -> None:
    marks = Marks().after(look(highest=highest, full=full, met=(priority,)))
    run_at = NOW + round(passed * arrived) - late

    ranges = marks.ranges(NOW + passed, aging)

    assert within(run_at - priority * aging, ranges)


@given(highest=st.integers(NOW - 10**12, NOW), rest=st.integers(0, 10**12))
def test_what_a_full_claim_left_behind_it_is_seen_by_the_next(highest: int, rest: int) -> None:
    marks = Marks().after(look(highest=highest))

    assert within(highest + rest, marks.ranges(NOW, MINUTE))


class Line:
    """A line with its clock, and one worker that claims from it by marks."""

    def __init__(self, aging: int) -> None:
        self.aging = aging
        self.now_us = NOW
        self.waiting: dict[int, tuple[int, int]] = {}  # number -> rank, when it became visible
        self.marks = Marks()
        self.longest_wait = 0

    def arrive(self, number: int, priority: int, late: int) -> None:
        """Let a job become visible whose run time is this long ago."""
        rank = self.now_us - late - priority * self.aging
        self.waiting[number] = (rank, self.now_us)

    def claim(self, limit: int) -> None:
        """Take the best of what the marks let one see."""
        now = self.now_us / 1e6
        swept = self.marks.sweeps(now)
        ranges = EVERYWHERE if swept else self.marks.ranges(self.now_us, self.aging)
        seen = sorted((r, n) for n, (r, _) in self.waiting.items() if within(r, ranges))
        if len(seen) < limit:
            self.note_those_passed_over(limit, swept=swept)
        for _, number in seen[:limit]:
            del self.waiting[number]
        self.marks = self.marks.after(
            look(
                swept=swept,
                full=len(seen) >= limit,
                now_us=self.now_us,
                ended=now,
                highest=seen[:limit][-1][0] if seen else None,
            )
        )

    def note_those_passed_over(self, limit: int, *, swept: bool) -> None:
        """Remember how long they have waited in vain."""
        assert not swept or len(self.waiting) < limit
        waits = [self.now_us - since for _, since in self.waiting.values()]
        self.longest_wait = max([self.longest_wait, *waits])


arrivals = st.tuples(st.just("arrive"), priorities, st.integers(0, 10**8))
claims = st.tuples(st.just("claim"), st.integers(1, 5), st.just(0))
steps = st.tuples(st.integers(0, 150_000), arrivals | claims)


@given(aging=agings, steps=st.lists(steps, max_size=60))
def test_nobody_is_overlooked_for_longer_than_a_sweep_and_a_claim(
    aging: int, steps: list[tuple[int, tuple[str, int, int]]]
) -> None:
    line = Line(aging)
    for number, (passed, (what, amount, late)) in enumerate(steps):
        line.now_us += passed
        if what == "arrive":
            line.arrive(number, amount, late)
        line.claim(amount if what == "claim" else 5)

    line.now_us += round(SWEEP_EVERY * 1e6)
    line.claim(limit=1000)

    assert line.longest_wait <= SWEEP_EVERY * 1e6 + 2 * 150_000
    assert not line.waiting
