"""What large payloads cost, on the way in and on the way through a worker."""

from __future__ import annotations

import time
from base64 import b85encode
from collections.abc import AsyncIterator, Iterator
from random import Random

from benchmarks.draining import drain
from benchmarks.figure import Figure
from benchmarks.jobs import Jobs
from benchmarks.measure import Bench, Measure, Sample
from windlass import NewJob

SIZES = {"100 B": 100, "1 kB": 1_000, "10 kB": 10_000, "100 kB": 100_000}
AROUND = 44  # bytes of a payload besides its note
# No run of a size writes more than this, nor sends more in one batch.
MOST = 200_000_000
BATCH_MOST = 10_000_000
BATCH = 1_000


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """Enqueue by the thousand, then drain, for each size."""
    for label, size in SIZES.items():
        count = min(bench.scale.jobs, MOST // size)
        async with bench.fresh() as site:
            jobs = Jobs(site.url)
            async with jobs.app as app:
                bench.say(f"{count:,} jobs of {label}")
                before = time.perf_counter()
                for batch in batches(jobs, count, size):
                    await app.enqueue_many(batch)
                yield Sample(f"payload of {label}, enqueue", count / (time.perf_counter() - before))
            site.settle_down()
            drained = await drain(site, count, bench.scale.processes, bench.say)
        yield Sample(f"payload of {label}", drained.rate)
        yield Sample(f"payload of {label}, CPU", drained.cpu)


def batches(jobs: Jobs, count: int, size: int) -> Iterator[list[NewJob]]:
    """New jobs whose payload has this size, with text that no database can make much smaller."""
    note = b85encode(Random(size).randbytes(size)).decode()[: size - AROUND]  # noqa: S311 — of text
    many = min(BATCH, BATCH_MOST // size)
    for start in range(0, count, many):
        numbers = range(start, min(start + many, count))
        yield [jobs.nothing.job(user="ada@example.org", number=n, note=note) for n in numbers]


MEASURE = Measure(
    name="payloads",
    figures=(
        *(Figure(name=f"payload of {label}, enqueue", unit="jobs/s") for label in SIZES),
        *(Figure(name=f"payload of {label}", unit="jobs/s") for label in SIZES),
        *(Figure(name=f"payload of {label}, CPU", unit="µs CPU/job") for label in SIZES),
    ),
    take=take,
)
