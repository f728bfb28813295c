"""How fast an app enqueues jobs by the thousand."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator

from benchmarks.figure import Bound, Dialect, Figure
from benchmarks.jobs import Jobs
from benchmarks.measure import Bench, Measure, Sample

BATCH = 1_000


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """Batches that were built beforehand, then batches built as they are sent."""
    count = bench.scale.jobs // 2
    async with bench.fresh() as site:
        jobs = Jobs(site.url)
        async with jobs.app as app:
            built = list(jobs.batches(count, BATCH))
            for name, batches in (("built", iter(built)), ("building", jobs.batches(count, BATCH))):
                bench.say(f"{name} {count:,} jobs")
                before = time.perf_counter()
                for batch in batches:
                    await app.enqueue_many(batch)
                yield Sample(FIGURES[name], count / (time.perf_counter() - before))
        [(kept,)] = site.ask("select count(*) from windlass_jobs")
        assert kept == 2 * count


FIGURES = {"built": "enqueue_many", "building": "enqueue_many, with building"}

MEASURE = Measure(
    name="enqueue_many",
    figures=(
        Figure(
            name=FIGURES["built"],
            unit="jobs/s",
            asked={Dialect.POSTGRES: Bound(80_000), Dialect.SQLITE: Bound(120_000)},
        ),
        Figure(name=FIGURES["building"], unit="jobs/s"),
    ),
    take=take,
)
