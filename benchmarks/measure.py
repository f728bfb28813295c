"""A measure: what is done to a fresh database to get some figures."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from benchmarks.figure import Dialect, Figure
from benchmarks.sites import Site


class Sample(NamedTuple):
    """One value of one figure."""

    figure: str
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How much of everything."""

    jobs: int  # in one drain
    finished: int  # in history, for the measure of that name
    waiting: int  # in line, for `claim_million`
    rows: int  # waiting or finished, for the longest of `growth`
    hold: float  # seconds for which vacuum is held back
    idle: float  # seconds of doing nothing
    picks: int  # jobs whose pick-up is timed
    enqueues: int  # one by one
    processes: int  # of a worker
    calling: float  # seconds of calling a service
    pending: int  # in line, for `http_explain`
    requests: int  # for `http_memory`
    listening: float  # seconds of listening to events


FULL = Scale(
    jobs=200_000,
    finished=5_000_000,
    waiting=1_000_000,
    rows=10_000_000,
    hold=60,
    idle=60,
    picks=300,
    enqueues=3_000,
    processes=1,
    calling=10,
    pending=5_000_000,
    requests=1_000_000,
    listening=20,
)
QUICK = Scale(
    jobs=60_000,
    finished=500_000,
    waiting=200_000,
    rows=1_000_000,
    hold=10,
    idle=10,
    picks=100,
    enqueues=1_000,
    processes=1,
    calling=4,
    pending=200_000,
    requests=100_000,
    listening=8,
)


@dataclass(frozen=True, slots=True)
class Bench:
    """What a measure is given: how much to do, databases to do it to, and somebody to tell."""

    scale: Scale
    fresh: Callable[[], AbstractAsyncContextManager[Site]]  # an empty database each time
    say: Callable[[str], None]


Take: TypeAlias = Callable[[Bench], AsyncIterator[Sample]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """Yields samples of its figures, once a round; one that repeats by itself runs `once`."""

    name: str
    figures: tuple[Figure, ...]
    take: Take
    needs: tuple[str, ...] = ()  # measures whose figures it is compared with
    dialects: frozenset[Dialect] = frozenset(Dialect)
    once: bool = False
