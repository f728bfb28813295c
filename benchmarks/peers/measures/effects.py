"""What becomes of effects when all workers are killed, where effect and end can be one commit.

Elsewhere a worker that is killed between the two does the job again: `kill` counts those.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator

from benchmarks.peers.measure import Bench, Figure, Measure, Sample
from benchmarks.peers.measures.kill import napping, strike


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """Each job puts its number into a table; one that is not there once is missing or doubled."""
    async with bench.fresh() as fresh:
        stage, jobs = napping(fresh)
        can = await stage.ask("prepare")
        if not can["effects"]:
            yield Sample("effects_missing", None, "its end is no part of a transaction")
            return
        await strike(bench, stage, "keep", jobs)
        found = await stage.ask("effects")
    for sample in told(found["numbers"], jobs):
        yield sample


def told(numbers: list[int], jobs: int) -> list[Sample]:
    """What the numbers in the table say of it."""
    made = Counter(numbers)
    return [
        Sample("effects_missing", jobs - len(made)),
        Sample("effects_twice", sum(times > 1 for times in made.values())),
    ]


MEASURE = Measure(
    name="effects",
    figures=(
        Figure("effects_missing", "effects missing", "jobs", "less"),
        Figure("effects_twice", "effects twice", "jobs", "less"),
    ),
    take=take,
    rounds=1,
    quick=False,
    together=True,
)
