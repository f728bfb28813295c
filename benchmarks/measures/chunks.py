"""How much faster a job is with two threads, when its work holds the interpreter's lock."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any, TypeAlias

from benchmarks.figure import Bound, Dialect, Figure
from benchmarks.measure import Bench, Measure, Sample
from windlass.executors.chunks import Items, split
from windlass.worker.parallel import HelperProcesses

SIZE = 600_000
STEPS = (None,) * 10
LINES = 200_000
TURNS = 9

ONE = "chunks, one thread"
PLAIN = "chunks, two processes"
TWO = "chunks, two threads"
REACHED = "chunks, of two processes"
LIGHT_ONE = "light chunks, one thread"
LIGHT_TWO = "light chunks, two threads"

Acts: TypeAlias = Mapping[str, Callable[[], object]]


def work(numbers: range) -> float:
    """Something that Python itself has to do.

    With floats: integers take and free memory in every step, which is a fifth quicker or slower in
    one process than in another, by where in a block of memory it happens to be.
    """
    value = 0.5
    for _ in numbers:
        for _ in STEPS:
            value = 3.9 * value * (1.0 - value)
    return value


def light(lines: list[str]) -> int:
    """Something that is done sooner than the lines could be sent away."""
    return sum("error" in line for line in lines)


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """The best of some turns, which all take one after the other: a quiet moment serves all."""
    bench.say("one thread, two plain processes, two threads, in turns")
    with ready() as acts:
        best = await asyncio.to_thread(quickest, acts)
    for figure in (ONE, PLAIN, TWO):
        yield Sample(figure, SIZE / best[figure] / 1e6)
    yield Sample(REACHED, SIZE / best[TWO] / 1e6)
    for figure in (LIGHT_ONE, LIGHT_TWO):
        yield Sample(figure, LINES / best[figure] / 1e6)


@contextmanager
def ready() -> Iterator[Acts]:
    """What is to be timed, with everything that it needs started."""
    lines = [f"line {number} of a log, without an err" for number in range(LINES)]
    helpers = HelperProcesses()
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as plain:
        try:
            yield {
                ONE: lambda: mapped(helpers, work, range(SIZE), 1),
                PLAIN: lambda: list(plain.map(work, (range(SIZE // 2), range(SIZE // 2, SIZE)))),
                TWO: lambda: mapped(helpers, work, range(SIZE), 2),
                LIGHT_ONE: lambda: mapped(helpers, light, lines, 1),
                LIGHT_TWO: lambda: mapped(helpers, light, lines, 2),
            }
        finally:
            helpers.close()


def mapped(
    helpers: HelperProcesses, work: Callable[[Any], Any], items: Items, threads: int
) -> list[Any]:
    """What `ctx.map_chunks` does with so many threads."""
    chunks = split(items, threads)
    if len(chunks) == 1:
        return [work(items)]
    return helpers.share(work, chunks, threads, lambda: False)


def quickest(acts: Acts) -> Mapping[str, float]:
    """Seconds of the quickest turn of each; the first ones only start processes."""
    turns = [{name: timed(act) for name, act in acts.items()} for _ in range(1 + TURNS)]
    return {name: min(turn[name] for turn in turns[1:]) for name in acts}


def timed(act: Callable[[], object]) -> float:
    """Seconds that it takes."""
    before = time.perf_counter()
    act()
    return time.perf_counter() - before


def figure(name: str, base: str | None = None, share: Bound | None = None) -> Figure:
    """A rate of items, and what it is compared with."""
    return Figure(name=name, unit="M items/s", base=base, share=share)


MEASURE = Measure(
    name="chunks",
    figures=(
        figure(ONE),
        figure(PLAIN, ONE),  # what the machine has to give, or not, while others use it
        figure(TWO, ONE, Bound(1.7)),
        figure(REACHED, PLAIN, Bound(0.9)),
        figure(LIGHT_ONE),
        figure(LIGHT_TWO, LIGHT_ONE, Bound(0.7)),  # a list is copied to be cut
    ),
    take=take,
    dialects=frozenset({Dialect.SQLITE}),  # of which it needs none
)
