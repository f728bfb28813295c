"""In what order tests run: the long ones evenly among the short, and none of them at the end.

Each process of a run begins with a share of the list of its own. Were all that start a fleet side
by side, one process would have most of the work, or all of them would be at it at once, when a
test that looks at the time has none to spare. Who is through helps others from the end of their
shares, so that what stands first in the list stays in one process.
"""

from collections.abc import Sequence
from typing import TypeVar

import pytest

T = TypeVar("T")

# Every test there starts programs, and ends them.
FLEETS = ("tests/acceptance/", "tests/faults/")
# All tests there look with one browser at one service, which each process starts for itself.
TOGETHER = ("tests/browser/",)
# After so much of a share there is no long test that others would have to wait for.
UNTIL = 0.8


def is_long(item: pytest.Item, usual: float) -> bool:
    """Whether a test may take longer than others, as its timeout says or its folder."""
    if shares(item):
        return False
    marker = item.get_closest_marker("timeout")
    asked = float(marker.args[0]) if marker and marker.args else usual
    return asked > usual or item.nodeid.startswith(FLEETS)


def shares(item: pytest.Item) -> bool:
    """Whether a test shares what is dear to start with its neighbours."""
    return item.nodeid.startswith(TOGETHER)


def dealt(short: Sequence[T], long: Sequence[T], shares: int) -> list[T]:
    """All of them, in shares of one size that follow each other."""
    return [
        one
        for share in range(shares)
        for one in spread(part(short, share, shares), long[share::shares])
    ]


def part(of: Sequence[T], share: int, shares: int) -> Sequence[T]:
    """A run of neighbours, which may have something to share."""
    return of[len(of) * share // shares : len(of) * (share + 1) // shares]


def spread(short: Sequence[T], long: Sequence[T]) -> list[T]:
    """The long ones at even distances among the short, from the first on."""
    made: list[T] = []
    distance = len(short) * UNTIL / max(1, len(long))
    for number, one in enumerate(long):
        made += [one, *short[round(number * distance) : round((number + 1) * distance)]]
    return made + list(short[round(len(long) * distance) :])
