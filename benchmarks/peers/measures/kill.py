"""What becomes of jobs when all workers are killed while they run some, and are started again."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace

from benchmarks.peers.crew import Crew, SideFailed
from benchmarks.peers.measure import Bench, Figure, Measure, Sample
from benchmarks.peers.record import END
from benchmarks.peers.records import Record
from benchmarks.peers.stage import Stage

NAP = 0.6  # seconds, about
WAVES = 10  # of jobs, so many at once as the workers run
LEAST, MOST = 40, 5_000
EVERY = 0.1
BEGIN_WITHIN = 60.0
WAIT = 60.0

# Sides recover at the same time, but up to its kill each is alone: the commits of others would make
# its own late, and what has ended and is not written down yet is done again.
alone = asyncio.Lock()


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """SIGKILL for every process of the workers, then the same command again."""
    async with bench.fresh() as fresh:
        stage, jobs = napping(fresh)
        await stage.ask("prepare")
        killed, began = await strike(bench, stage, "nap", jobs)
        found = stage.records.read()
    for sample in told(found, jobs, killed, began):
        yield sample


def napping(stage: Stage) -> tuple[Stage, int]:
    """A side whose jobs take their time, and how many of them there are to be."""
    jobs = min(max(LEAST, WAVES * stage.header.slots), MOST)
    return replace(stage, env={**stage.env, "SIDE_NAP": str(NAP)}), jobs


async def strike(bench: Bench, stage: Stage, kind: str, jobs: int) -> tuple[float, float]:
    """Kill the workers amid jobs and let them recover; when was the kill, and the second start."""
    async with alone:
        await stage.ask("fill", kind, str(jobs))
        async with stage.crew() as crew:
            bench.say(f"{jobs:,} naps")
            await some_ended(stage, crew, jobs // 4)
            killed = time.monotonic()
    began = time.monotonic()
    async with stage.crew() as crew:
        bench.say(f"killed; {WAIT:g} s to recover")
        await asyncio.sleep(WAIT)
        crew.check()
    return killed, began


async def some_ended(stage: Stage, crew: Crew, count: int) -> None:
    """Wait until so many have ended, and so the workers are in the midst of it."""
    deadline = time.monotonic() + BEGIN_WITHIN
    while len(ended(stage.records.read())) < count:
        crew.check()
        if time.monotonic() > deadline:
            raise SideFailed(f"fewer than {count} jobs ended within {BEGIN_WITHIN:g} s")
        await asyncio.sleep(EVERY)


def told(found: list[Record], jobs: int, killed: float, began: float) -> list[Sample]:
    """What the records say of it."""
    done = Counter(record.number for record in found if record.kind == END)
    ends = {record.number: record.at for record in reversed(found) if record.kind == END}
    missing = jobs - len(done)
    twice = [number for number, times in done.items() if times > 1]
    recovered = None if missing else max(ends.values()) - began
    return [
        Sample("kill_in_flight", in_flight(found, began)),
        Sample("kill_not_done", missing),
        Sample("kill_twice", len(twice), _ago([ends[number] for number in twice], killed)),
        Sample("kill_recovery", recovered, f"{missing:,} of {jobs:,} not done" if missing else ""),
    ]


def in_flight(found: list[Record], began: float) -> int:
    """How many jobs had started and not ended before there were workers again."""
    before = [record for record in found if record.at < began]
    return len({record.number for record in before} - ended(before))


def _ago(ends: list[float], killed: float) -> str:
    """How long before the kill the first of them had ended: the end itself takes time to write."""
    if not ends:
        return ""
    return f"ended up to {1000 * max(0.0, killed - min(ends)):,.0f} ms before the kill"


def ended(records: list[Record]) -> set[int]:
    """The jobs that ended."""
    return {record.number for record in records if record.kind == END}


MEASURE = Measure(
    name="kill",
    figures=(
        Figure("kill_in_flight", "in flight at the kill", "jobs", "more"),
        Figure("kill_not_done", "not done 60 s later", "jobs", "less"),
        Figure("kill_twice", "finished twice", "jobs", "less"),
        Figure("kill_recovery", "all done after", "s", "less"),
    ),
    take=take,
    rounds=1,
    quick=False,
    together=True,
)
