"""Whether it matters in how many queues the jobs stand."""

from __future__ import annotations

from collections.abc import AsyncIterator

from benchmarks.draining import drain
from benchmarks.figure import Figure
from benchmarks.filling import line_up
from benchmarks.measure import Bench, Measure, Sample

QUEUES = (1, 10, 100, 1_000)


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """As many jobs each time, dealt out to the queues one by one."""
    for queues in QUEUES:
        async with bench.fresh() as site:
            line_up(site, bench.scale.jobs, bench.say, queues=queues)
            site.settle_down()
            drained = await drain(site, bench.scale.jobs, bench.scale.processes, bench.say)
        yield Sample(_name(queues), drained.rate)
        yield Sample(f"{_name(queues)}, CPU", drained.cpu)


def _name(queues: int) -> str:
    return f"queues, {queues:,}"


MEASURE = Measure(
    name="queues",
    figures=(
        *(Figure(name=_name(n), unit="jobs/s", base=_name(1)) for n in QUEUES),
        *(
            Figure(name=f"{_name(n)}, CPU", unit="µs CPU/job", base=f"{_name(1)}, CPU")
            for n in QUEUES
        ),
    ),
    take=take,
)
