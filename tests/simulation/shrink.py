"""The smallest world that still fails: less work and less harm, one piece after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from tests.simulation.mutants import SHIPPED, Mutant
from tests.simulation.plan import Plan
from tests.simulation.trial import Verdict, trial

T = TypeVar("T")

MOST_TRIALS = 80


def shrink(found: Verdict, mutant: Mutant = SHIPPED) -> Verdict:
    """A smaller world in which the same invariant does not hold."""
    trials = 0
    smaller = True
    while smaller:
        smaller = False
        for plan in _smaller(found.plan):
            trials += 1
            if trials > MOST_TRIALS:
                return found
            verdict = trial(plan.seed, plan, mutant)
            if verdict.invariant == found.invariant:
                found, smaller = verdict, True
                break
    return found


def _smaller(plan: Plan) -> Iterator[Plan]:
    """Half of something left out first, then each piece of it."""
    yield from _without(plan.faults, plan.without_faults)
    yield from _without(plan.deeds, plan.without_deeds)
    yield from _without(plan.jobs, plan.without_jobs)


def _without(pieces: Sequence[T], left_out: Callable[..., Plan]) -> Iterator[Plan]:
    middle = len(pieces) // 2
    if middle > 1:
        yield left_out(*pieces[:middle])
        yield left_out(*pieces[middle:])
    for piece in pieces:
        yield left_out(piece)
