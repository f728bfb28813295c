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
from tests.simulation.story import LAST, Story
from tests.simulation.world import World


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether everything held, what was reached, and what happened."""

    plan: Plan
    violation: str | None
    reached: Mapping[str, int]
    virtual: float
    story: Story = field(repr=False)

    @property
    def invariant(self) -> str | None:
        """The number of the invariant that did not hold."""
        return None if self.violation is None else self.violation.partition(":")[0]

    @property
    def digest(self) -> str:
        """What is the same for the same story."""
        return self.story.digest()

    def told(self, last: int = LAST) -> str:
        """The end of the story, in words."""
        return f"seed {self.plan.seed}: {self.violation}\n{self.story.words(last)}"


def trial(seed: int, plan: Plan | None = None, mutant: Mutant = SHIPPED) -> Verdict:
    """Live through the world of a seed, or through a smaller one made of it."""
    gc.disable()
    try:
        return _lived(plan or draw(seed), mutant)
    finally:
        # A world leaves its garbage in circles. The next one lives in its place: fresh memory for
        # each would take longer than this.
        gc.collect()
        gc.enable()


def _lived(plan: Plan, mutant: Mutant) -> Verdict:
    world = World(plan, storage(), mutant.queries(storage()))
    violation = None
    try:
        with mutant.applied():
            world.run()
    except (Violation, Spins) as problem:
        violation = str(problem)
    return Verdict(plan, violation, world.sometimes, world.kernel.now, world.story)


@cache
def storage() -> Storage:
    """The one database of this process."""
    made = Storage()
    gc.freeze()  # whatever is there before the first world is nobody's garbage
    return made
