"""One seed, tried: what came of its world."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from tests.simulation.database import Storage
from tests.simulation.kernel import Spins
from tests.simulation.model import Violation
from tests.simulation.mutants import SHIPPED, Mutant
from tests.simulation.plan import Plan, draw
from tests.simulation.story import LAST
from tests.simulation.world import World

# A world leaves its garbage in circles; looking for it after each would take a tenth of the time.
WORLDS_PER_SWEEP = 16


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether everything held, what was reached, and what happened."""

    plan: Plan
    violation: str | None
    reached: Mapping[str, int]
    virtual: float
    world: World = field(repr=False)

    @property
    def invariant(self) -> str | None:
        """The number of the invariant that did not hold."""
        return None if self.violation is None else self.violation.partition(":")[0]

    @property
    def digest(self) -> str:
        """What is the same for the same story."""
        return self.world.story.digest()

    def told(self, last: int = LAST) -> str:
        """The end of the story, in words."""
        return f"seed {self.plan.seed}: {self.violation}\n{self.world.story.words(last)}"


def trial(seed: int, plan: Plan | None = None, mutant: Mutant = SHIPPED) -> Verdict:
    """Live through the world of a seed, or through a smaller one made of it."""
    plan = plan or draw(seed)
    world = World(plan, storage(), mutant.queries(storage()))
    violation = None
    gc.disable()
    try:
        with mutant.applied():
            world.run()
    except (Violation, Spins) as problem:
        violation = str(problem)
    finally:
        gc.enable()
        _sweep()
    return Verdict(plan, violation, world.sometimes, world.kernel.now, world)


@cache
def storage() -> Storage:
    """The one database of this process."""
    return Storage()


_worlds = 0


def _sweep() -> None:
    global _worlds  # noqa: PLW0603 — counted for the whole process
    _worlds += 1
    if not _worlds % WORLDS_PER_SWEEP:
        gc.collect()
