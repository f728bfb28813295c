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


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """SIGKILL for every process of the workers, then the same command again."""
    async with bench.fresh() as fresh:
        stage = replace(fresh, env={**fresh.env, "SIDE_NAP": str(NAP)})
        jobs = min(max(LEAST, WAVES * stage.header.slots), MOST)
        await stage.ask("prepare")
        await stage.ask("fill", "nap", str(jobs))
        async with stage.crew() as crew:
            bench.say(f"{jobs:,} naps")
            await some_ended(stage, crew, jobs // 4)
        at_kill = stage.records.read()
        began = time.monotonic()
        async with stage.crew() as crew:
            bench.say(f"killed; {WAIT:g} s to recover")
            await asyncio.sleep(WAIT)
            crew.check()
        found = stage.records.read()
    for sample in told(at_kill, found, jobs, began):
        yield sample


async def some_ended(stage: Stage, crew: Crew, count: int) -> None:
    """Wait until so many have ended, and so the workers are in the midst of it."""
    deadline = time.monotonic() + BEGIN_WITHIN
    while len(ended(stage.records.read())) < count:
        crew.check()
        if time.monotonic() > deadline:
            raise SideFailed(f"fewer than {count} jobs ended within {BEGIN_WITHIN:g} s")
        await asyncio.sleep(EVERY)


def told(at_kill: list[Record], found: list[Record], jobs: int, began: float) -> list[Sample]:
    """What the records say of it."""
    done = Counter(record.number for record in found if record.kind == END)
    missing = jobs - len(done)
    flying = {record.number for record in at_kill} - set(ended(at_kill))
    firsts: dict[int, float] = {}
    for record in found:
        if record.kind == END:
            firsts[record.number] = min(record.at, firsts.get(record.number, record.at))
    recovered = None if missing else max(firsts.values()) - began
    note = f"{missing:,} of {jobs:,} not done after {WAIT:g} s" if missing else ""
    return [
        Sample("kill_in_flight", len(flying)),
        Sample("kill_not_done", missing),
        Sample("kill_twice", sum(times > 1 for times in done.values())),
        Sample("kill_recovery", recovered, note),
    ]


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
