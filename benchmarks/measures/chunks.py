"""How much faster a job is with two threads, when its work holds the interpreter's lock."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from typing import Any, TypeAlias

from benchmarks.figure import Bound, Dialect, Figure
from benchmarks.measure import Bench, Measure, Sample
from windlass.executors.chunks import Items, split
from windlass.worker.parallel import HelperProcesses

STEPS = (None,) * 10
LINES = 200_000
TURNS = 9

LIGHT_ONE = "light chunks, one thread"
LIGHT_TWO = "light chunks, two threads"

Acts: TypeAlias = Mapping[str, Callable[[], object]]


def integers(numbers: range) -> int:
    """Something that Python itself has to do, a step for each item.

    How long a step takes depends on where the stack lies (decision 25); hence the other beside it.
    """
    added = 0
    for number in numbers:
        added += number * number & 7
    return added


def floats(numbers: range) -> float:
    """Something that Python itself has to do, ten steps for each item; as long in every process."""
    value = 0.5
    for _ in numbers:
        for _ in STEPS:
            value = 3.9 * value * (1.0 - value)
    return value


def light(lines: list[str]) -> int:
    """Something that is done sooner than the lines could be sent away."""
    return sum("error" in line for line in lines)


# The same is asked of both.
HEAVY: Mapping[str, tuple[Callable[[range], float], range]] = {
    "integers": (integers, range(6_000_000)),
    "floats": (floats, range(600_000)),
}


async def take(bench: Bench) -> AsyncIterator[Sample]:
    """The best of some turns, which all take one after the other: a quiet moment serves all."""
    bench.say("one thread, two plain processes, two threads, in turns")
    with ready() as acts:
        best = await asyncio.to_thread(quickest, acts)
    for kind, (_, items) in HEAVY.items():
        for figure in (one(kind), plain(kind), two(kind)):
            yield Sample(figure, len(items) / best[figure] / 1e6)
        yield Sample(reached(kind), len(items) / best[two(kind)] / 1e6)
    for figure in (LIGHT_ONE, LIGHT_TWO):
        yield Sample(figure, LINES / best[figure] / 1e6)


def one(kind: str) -> str:
    """The figure of one thread."""
    return f"{kind}, one thread"


def plain(kind: str) -> str:
    """The figure of two processes without Windlass, which have half each."""
    return f"{kind}, two processes"


def two(kind: str) -> str:
    """The figure of two threads."""
    return f"{kind}, two threads"


def reached(kind: str) -> str:
    """The same, to be compared with two processes."""
    return f"{kind}, of two processes"


@contextmanager
def ready() -> Iterator[Acts]:
    """What is to be timed, with everything that it needs started."""
    lines = [f"line {number} of a log, without an err" for number in range(LINES)]
    helpers = HelperProcesses()
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        acts: dict[str, Callable[[], object]] = {}
        for kind, (work, items) in HEAVY.items():
            halves = (items[: len(items) // 2], items[len(items) // 2 :])
            acts[one(kind)] = partial(mapped, helpers, work, items, 1)
            acts[plain(kind)] = partial(halved, pool, work, halves)
            acts[two(kind)] = partial(mapped, helpers, work, items, 2)
        acts[LIGHT_ONE] = partial(mapped, helpers, light, lines, 1)
        acts[LIGHT_TWO] = partial(mapped, helpers, light, lines, 2)
        try:
            yield acts
        finally:
            helpers.close()


def halved(
    pool: ProcessPoolExecutor, work: Callable[[Any], Any], halves: tuple[range, range]
) -> list[Any]:
    """What two processes reach that know nothing of Windlass."""
    return list(pool.map(work, halves))


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


def heavy(kind: str) -> tuple[Figure, ...]:
    """The figures of one kind of work; two processes show what the machine has to give."""
    return (
        figure(one(kind)),
        figure(plain(kind), one(kind)),
        figure(two(kind), one(kind), Bound(1.7)),
        figure(reached(kind), plain(kind), Bound(0.9)),
    )


MEASURE = Measure(
    name="chunks",
    figures=(
        *heavy("integers"),
        *heavy("floats"),
        figure(LIGHT_ONE),
        figure(LIGHT_TWO, LIGHT_ONE, Bound(0.7)),  # a list is copied to be cut
    ),
    take=take,
    dialects=frozenset({Dialect.SQLITE}),  # of which it needs none
)
