"""What more processes of a worker bring, and what they cost, on the cores there are."""

from __future__ import annotations

from collections.abc import AsyncIterator

from benchmarks.draining import drain
from benchmarks.figure import Figure
from benchmarks.filling import line_up
from benchmarks.measure import Bench, Measure, Sample

PROCESSES = (1, 2, 4, 8)


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """The same line for one process and for more."""
    for processes in PROCESSES:
        async with bench.fresh() as site:
            line_up(site, bench.scale.jobs, bench.say)
            site.settle_down()
            drained = await drain(site, bench.scale.jobs, processes, bench.say)
        yield Sample(_name(processes), drained.rate)
        yield Sample(f"{_name(processes)}, CPU", drained.cpu)


def _name(processes: int) -> str:
    return f"workers, {processes} process{'es' if processes > 1 else ''}"


MEASURE = Measure(
    name="workers",
    figures=(
        *(Figure(name=_name(n), unit="jobs/s", base=_name(1)) for n in PROCESSES),
        *(
            Figure(name=f"{_name(n)}, CPU", unit="µs CPU/job", base=f"{_name(1)}, CPU")
            for n in PROCESSES
        ),
    ),
    take=take,
)
