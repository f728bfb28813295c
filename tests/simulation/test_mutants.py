"""Mistakes that others have shipped are noticed: what no mistake can break is not checked."""

from collections.abc import Iterator

import pytest

from tests.simulation.kept import catching
from tests.simulation.mutants import MUTANTS, Mutant
from tests.simulation.shrink import shrink
from tests.simulation.trial import trial

# A mutant that none of its known seeds catches any more is sought among so many.
WITHIN = 400


def seeds(mutant: Mutant) -> Iterator[int]:
    """The seeds to try, the ones that are known to catch it first."""
    known = catching().get(mutant.name, ())
    yield from known
    yield from (seed for seed in range(WITHIN) if seed not in known)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_is_caught(mutant: Mutant) -> None:
    caught = any(trial(seed, mutant=mutant).violation for seed in seeds(mutant))

    assert caught, f"nothing notices that it {mutant.name}"


@pytest.mark.timeout(300)
def test_a_failing_world_is_made_smaller() -> None:
    [mutant] = [one for one in MUTANTS if one.name == "promotes early"]
    found = next(one for seed in seeds(mutant) if (one := trial(seed, mutant=mutant)).violation)

    small = shrink(found, mutant)

    assert small.invariant == found.invariant
    assert len(small.plan.jobs) <= 2
    assert "before its time" in small.told()
