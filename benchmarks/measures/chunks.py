"""How much faster a job is with two threads, when its work holds the interpreter's lock."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable

from benchmarks.figure import Bound, Dialect, Figure
from benchmarks.measure import Bench, Measure, Sample
from windlass.executors.chunks import split
from windlass.worker.parallel import HelperProcesses

SIZE = 6_000_000
TURNS = 5


def work(numbers: range) -> int:
    """Something that Python itself has to do."""
    added = 0
    for number in numbers:
        added += number * number & 7
    return added


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """The best of some turns with one thread, and with two."""
    helpers = HelperProcesses()
    try:
        for threads, figure in ((1, "chunks, one thread"), (2, "chunks, two threads")):
            bench.say(figure)
            share = sharing(helpers, threads)
            share()  # helpers are started by now
            turns = [await asyncio.to_thread(timed, share) for _ in range(TURNS)]
            yield Sample(figure, SIZE / min(turns) / 1e6)
    finally:
        helpers.close()


def sharing(helpers: HelperProcesses, threads: int) -> Callable[[], object]:
    """The same work in so many chunks."""
    chunks = split(range(SIZE), threads)
    return lambda: helpers.share(work, chunks, threads, lambda: False)


def timed(act: Callable[[], object]) -> float:
    """Seconds that it takes."""
    before = time.perf_counter()
    act()
    return time.perf_counter() - before


MEASURE = Measure(
    name="chunks",
    figures=(
        Figure(name="chunks, one thread", unit="M items/s"),
        Figure(
            name="chunks, two threads",
            unit="M items/s",
            base="chunks, one thread",
            share=Bound(1.7),
        ),
    ),
    take=take,
    dialects=frozenset({Dialect.SQLITE}),  # of which it needs none
)
