"""Times in bins that grow with them: what was counted apart can be added up and still be told."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from typing import TypeAlias

# How often a time in each bin was seen; an average may stand for some of them, so not in whole.
Bins: TypeAlias = Mapping[int, float]

# Each bin is a tenth wider than the one before, so that its middle is within 5 % of what is in it.
GROWTH = 1.1
_LOG = math.log(GROWTH)


def bin_of(time_us: float) -> int:
    """The bin of a time in µs; what is shorter than one is in the first."""
    return 0 if time_us < 1 else 1 + int(math.log(time_us) / _LOG)


def added(one: Bins, other: Bins) -> Bins:
    """Both together."""
    if not one or not other:
        return one or other
    sums = defaultdict(float, one)
    for place, count in other.items():
        sums[place] += count
    return dict(sums)


def percentile(bins: Bins, share: float) -> float | None:
    """The time in µs that this share of all was no longer than; nothing of nothing."""
    wanted = share * sum(bins.values())
    if not wanted:
        return None
    seen = 0.0
    place = 0
    for place in sorted(bins):
        seen += bins[place]
        if seen >= wanted:
            break
    return middle(place)


def middle(place: int) -> float:
    """The time in µs that stands for a bin."""
    return 0.0 if place == 0 else GROWTH ** (place - 0.5)
