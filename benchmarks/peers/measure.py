"""A measure of the comparison: what is done with a side on a fresh store to get some figures."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from benchmarks.figure import number
from benchmarks.peers.stage import Stage


class Figure(NamedTuple):
    """One number that a measure yields for each side."""

    name: str
    title: str  # of its column
    unit: str
    better: Literal["more", "less"]


class Sample(NamedTuple):
    """One value of one figure, or none; and what must be said about it."""

    figure: str
    value: float | None
    note: str = ""


def shown(value: float, unit: str) -> str:
    """A value with as many digits as mean something; jobs are whole."""
    return f"{value:,.0f}" if unit == "jobs" else number(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How much of everything."""

    name: Literal["full", "quick"]
    rounds: int
    finals: int  # rounds more for those sides that decide a mark
    share: float  # of the jobs that a side says take it about ten seconds
    sending: float  # seconds of enqueueing
    picks: int  # jobs whose pick-up is timed
    stumbles: int  # jobs whose retry is timed
    idle: float  # seconds of doing nothing


FULL = Scale(
    name="full", rounds=3, finals=4, share=0.35, sending=1.5, picks=200, stumbles=100, idle=5
)
QUICK = Scale(
    name="quick", rounds=1, finals=1, share=0.08, sending=0.5, picks=50, stumbles=20, idle=2
)


@dataclass(frozen=True, slots=True)
class Bench:
    """What a measure is given: how much to do, a side to do it with, and somebody to tell."""

    scale: Scale
    fresh: Callable[[], AbstractAsyncContextManager[Stage]]  # an empty store each time
    say: Callable[[str], None]


Take: TypeAlias = Callable[[Bench], AsyncIterator[Sample]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """Yields samples of its figures, once a round."""

    name: str
    figures: tuple[Figure, ...]
    take: Take
    rounds: int = 100  # at most
    quick: bool = True  # whether it has a place in a quick run
    together: bool = False  # whether several sides may be at it at once, as no time is taken
