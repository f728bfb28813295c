"""How things went: what happened in each stretch of time, told from figures that only grow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from windlass.core.errors import BadInput
from windlass.core.histogram import Bins, added, bin_of

SECOND_US = 1_000_000
# The lengths of stretches in seconds, and for how long each is kept.
GRAINS: Mapping[int, int] = {5: 2 * 3600, 60: 86_400, 900: 8 * 86_400}
# After a long silence what happened is strewn over so many stretches, not over all of it.
MOST_STREWN = 1_000


class Window(NamedTuple):
    """How far back a chart looks, of which grain it is made, and how long its steps are."""

    length: int
    grain: int
    step: int


# At most 180 steps, of at most 700 stretches that must be read.
WINDOWS: Mapping[str, Window] = {
    "5m": Window(300, 5, 5),
    "15m": Window(900, 5, 10),
    "1h": Window(3600, 60, 60),
    "6h": Window(6 * 3600, 60, 300),
    "1d": Window(86_400, 900, 900),
    "7d": Window(7 * 86_400, 900, 3600),
}


class Reading(Struct, frozen=True, kw_only=True):
    """What had ever been counted at a moment, and what was live then."""

    at_us: int
    completed: int = 0
    dead: int = 0
    retried: int = 0  # attempts that failed and whose job runs again
    cancelled: int = 0
    running: int = 0
    counted_us: int = 0  # when the rest was counted: seldom, where much is live
    enqueued: int = 0
    pending: int = 0

    @property
    def failed(self) -> int:
        """Attempts that failed."""
        return self.retried + self.dead

    @property
    def started(self) -> int:
        """Attempts that began: those that came to an end, and those that have not."""
        return self.completed + self.failed + self.running


class Cell(NamedTuple):
    """Jobs of one queue, type and end that finished lately, and the times of some of them in µs."""

    jobs: int
    waited_us: int  # all of them together
    ran_us: int
    sample: Sequence[tuple[float, float]]  # how long each waited, and ran


class Tally(Struct, frozen=True, kw_only=True):
    """What happened in one stretch of time, and what was live at its end."""

    enqueued: float | None = None  # None: not counted yet
    started: float = 0.0
    completed: float = 0.0
    failed: float = 0.0
    dead: float = 0.0
    cancelled: float = 0.0
    pending: int | None = None
    running: int | None = None
    wait: Bins = field(default_factory=dict)
    run: Bins = field(default_factory=dict)


def tallied(before: Reading, after: Reading, cells: Sequence[Cell], grain: int) -> dict[int, Tally]:
    """What happened between two readings, by the stretches of this grain in µs since 1970."""
    tallies: dict[int, Tally] = {}
    for at_us, share in strewn(before.at_us, after.at_us, grain):
        tallies[at_us] = _share(before, after, share)
    for at_us, share in strewn(before.counted_us, after.counted_us, grain):
        enqueued = _more(before.enqueued, after.enqueued) * share
        tallies[at_us] = replace(tallies.get(at_us, Tally()), enqueued=enqueued)
    last = max(strewn(before.at_us, after.at_us, grain))[0]
    wait, run = times(cells)
    tallies[last] = replace(
        tallies[last], pending=after.pending, running=after.running, wait=wait, run=run
    )
    return tallies


def strewn(since_us: int, until_us: int, grain: int) -> Iterator[tuple[int, float]]:
    """The stretches between two moments, and the share of the time that is in each."""
    if until_us <= since_us:
        return
    length = grain * SECOND_US
    since_us = max(since_us, until_us - MOST_STREWN * length)
    start = since_us // length * length
    while start < until_us:
        within = min(start + length, until_us) - max(start, since_us)
        yield start, within / (until_us - since_us)
        start += length


def times(cells: Sequence[Cell]) -> tuple[Bins, Bins]:
    """How long jobs waited and ran: each sample stands for its share of the cell's jobs.

    Of a cell without a sample the average is known, which is better than nothing.
    """
    wait: defaultdict[int, float] = defaultdict(float)
    run: defaultdict[int, float] = defaultdict(float)
    for cell in cells:
        sample = cell.sample or [(cell.waited_us / cell.jobs, cell.ran_us / cell.jobs)]
        weight = cell.jobs / len(sample)
        for waited_us, ran_us in sample:
            wait[bin_of(waited_us)] += weight
            run[bin_of(ran_us)] += weight
    return _rounded(wait), _rounded(run)


def joined(one: Tally, later: Tally) -> Tally:
    """What happened in both."""
    return Tally(
        enqueued=_sum(one.enqueued, later.enqueued),
        started=one.started + later.started,
        completed=one.completed + later.completed,
        failed=one.failed + later.failed,
        dead=one.dead + later.dead,
        cancelled=one.cancelled + later.cancelled,
        pending=one.pending if later.pending is None else later.pending,
        running=one.running if later.running is None else later.running,
        wait=added(one.wait, later.wait),
        run=added(one.run, later.run),
    )


def window(name: str) -> Window:
    """The window of this name."""
    try:
        return WINDOWS[name]
    except KeyError:
        raise BadInput(f"no window {name!r}; windows: {', '.join(WINDOWS)}") from None


def begins(window: Window, now_us: int) -> int:
    """When the first step of a chart begins that ends now, in µs since 1970."""
    step_us = window.step * SECOND_US
    return (now_us // step_us + 1) * step_us - window.length * SECOND_US


def stepped(window: Window, since_us: int, found: Mapping[int, Tally]) -> list[Tally | None]:
    """One tally for each step; None where nobody counted."""
    step_us = window.step * SECOND_US
    steps: list[Tally | None] = [None] * (window.length // window.step)
    for at_us in sorted(found):
        place = (at_us - since_us) // step_us
        if 0 <= place < len(steps):
            before = steps[place]
            steps[place] = joined(before, found[at_us]) if before else found[at_us]
    return steps


def _share(before: Reading, after: Reading, share: float) -> Tally:
    return Tally(
        started=_more(before.started, after.started) * share,
        completed=_more(before.completed, after.completed) * share,
        failed=_more(before.failed, after.failed) * share,
        dead=_more(before.dead, after.dead) * share,
        cancelled=_more(before.cancelled, after.cancelled) * share,
    )


def _more(before: int, after: int) -> int:
    # What runs goes down when jobs are handed back or cancelled: nothing began to run by that.
    return max(after - before, 0)


def _sum(one: float | None, other: float | None) -> float | None:
    return other if one is None else one + (other or 0.0)


def _rounded(bins: Mapping[int, float]) -> Bins:
    return {place: round(count, 3) for place, count in bins.items()}
