"""A figure that is measured, what is asked of it, and what many samples of it come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import median


class Dialect(StrEnum):
    """A database that Windlass keeps its jobs in."""

    POSTGRES = "postgres"
    SQLITE = "sqlite"

    @property
    def label(self) -> str:
        """The name that its makers gave it."""
        return {"postgres": "PostgreSQL", "sqlite": "SQLite"}[self.value]


@dataclass(frozen=True, slots=True)
class Bound:
    """What a figure should reach, or stay below."""

    value: float
    at_most: bool = False

    def met(self, value: float) -> bool:
        """Whether the value is good enough."""
        return value <= self.value if self.at_most else value >= self.value

    def __str__(self) -> str:
        return f"{'≤' if self.at_most else '≥'} {number(self.value)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One number that a measure yields.

    `asked` is for orientation where there is a `share`: the share of `base`, another figure of the
    same run, does not depend on the machine and decides.
    """

    name: str
    unit: str
    asked: Mapping[Dialect, Bound] = field(default_factory=dict)
    base: str | None = None
    share: Bound | None = None


class Verdict(StrEnum):
    """What a figure comes to."""

    REACHED = "reached"
    MISSED = "missed"
    SHOWN = ""  # nothing is asked of it


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The samples of one figure on one database, and those of the figure it is compared with."""

    figure: Figure
    dialect: Dialect
    samples: Sequence[float]
    base: Sequence[float] = ()

    @property
    def median(self) -> float:
        """The sample in the middle."""
        return median(self.samples)

    @property
    def ratio(self) -> float | None:
        """How the medians compare."""
        return self.median / median(self.base) if self.base else None

    @property
    def asked(self) -> Bound | None:
        """What is asked of the figure itself."""
        return self.figure.asked.get(self.dialect)

    @property
    def verdict(self) -> Verdict:
        """Whether what is asked was reached; the ratio decides where there is one."""
        if self.figure.share is not None and self.ratio is not None:
            return _verdict(self.figure.share.met(self.ratio))
        if self.asked is not None:
            return _verdict(self.asked.met(self.median))
        return Verdict.SHOWN


def number(value: float) -> str:
    """A number with as many digits as mean something."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def _verdict(met: bool) -> Verdict:  # noqa: FBT001 — said once, right above
    return Verdict.REACHED if met else Verdict.MISSED
