"""How fast workers get through jobs of which a fifth fails once, and how late a retry comes.

A job that stumbles is to be tried again after one second. How late it is, is taken on workers that
have nothing else to do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator
from statistics import quantiles

from benchmarks.peers.crew import SideFailed
from benchmarks.peers.measure import Bench, Figure, Measure, Sample
from benchmarks.peers.measures.drain import first, size
from benchmarks.peers.records import Record, fault, starts

PART = 2  # of the jobs of a drain
DELAY = 1.0


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """First a line of both kinds, then a few that stumble."""
    async with bench.fresh() as stage:
        jobs = size(stage.header.drain, bench.scale.share / PART)
        runs = jobs + jobs // 5
        await stage.ask("prepare")
        bench.say(f"filling in {jobs:,} jobs of which a fifth stumbles")
        await stage.ask("fill", "fifth", str(jobs))
        stage.place.settle_down()
        bench.say(f"draining {jobs:,} jobs of which a fifth stumbles")
        async with stage.crew() as crew:
            await stage.expect(runs, crew)
            begun = starts(stage.records.read())
            yield Sample("retries", jobs / (begun[-1].at - first(begun).at), sound(begun, jobs))
            bench.say(f"{bench.scale.stumbles} jobs that stumble")
            before = stage.records.count()
            await stage.ask("fill", "stumble", str(bench.scale.stumbles))
            await stage.expect(before + 2 * bench.scale.stumbles, crew)
        late = lateness(stage.records.read(since=before))
    cut = quantiles(late, n=100, method="inclusive")
    yield Sample("retries_late_p50", cut[49])
    yield Sample("retries_late_p99", cut[98])


def sound(begun: list[Record], jobs: int) -> str:
    """What is to be said of it; there is no rate if one did not run, or was not tried again."""
    twice = [record for record in begun if record.number % 5 == 0]
    once = [record for record in begun if record.number % 5]
    stumbled = [record._replace(number=record.number // 5) for record in twice]
    wrong = fault(stumbled, jobs // 5, each=2)
    if "did not run" in wrong:
        raise SideFailed(f"of those that stumbled {wrong} again")
    if len({record.number for record in once}) < jobs - jobs // 5:
        raise SideFailed("not all jobs ran")
    return wrong


def lateness(records: list[Record]) -> list[float]:
    """Milliseconds beyond the second that was asked for, of each job that ran twice."""
    by_number = defaultdict(list)
    for record in starts(records):
        by_number[record.number].append(record.at)
    pairs = [times for times in by_number.values() if len(times) > 1]
    if len(pairs) < len(by_number) or len(pairs) < 2:
        raise SideFailed(f"{len(by_number) - len(pairs)} jobs were not tried again")
    return [1000 * (times[1] - times[0] - DELAY) for times in pairs]


MEASURE = Measure(
    name="retries",
    figures=(
        Figure("retries", "a fifth retried", "jobs/s", "more"),
        Figure("retries_late_p50", "retry late p50", "ms", "less"),
        Figure("retries_late_p99", "p99", "ms", "less"),
    ),
    take=take,
    rounds=2,
    quick=False,
)
