"""Figures that runs have kept as JSON, read back: those of the comparison, and our own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec


class Side(msgspec.Struct, frozen=True):
    """A scheduler on a store, in one set-up."""

    side: str
    name: str
    ours: bool
    store: str
    durable: bool
    setup: str
    versions: dict[str, str]
    broken: str  # why it could not take part


class Cell(msgspec.Struct, frozen=True):
    """A figure of a side, or words that say why there is none."""

    side: str
    measure: str
    figure: str
    unit: str
    better: Literal["more", "less"]
    median: float | None
    samples: list[float]
    note: str
    rounds: list[int] = []


class Comparison(msgspec.Struct, frozen=True):
    """A run beside peers."""

    machine: dict[str, str]
    when: str
    scale: str
    rounds: int
    sides: list[Side]
    figures: list[Cell]
    finals: int = 0

    def cells(self, figure: str) -> dict[str, Cell]:
        """One figure by side."""
        return {cell.side: cell for cell in self.figures if cell.figure == figure}

    def best_first(self, figure: str) -> list[tuple[Side, Cell]]:
        """The sides that have a number for the figure; too early is as bad as too late."""
        cells = self.cells(figure)
        rated = [
            (cell.median, side, cell)
            for side in self.sides
            if (cell := cells.get(side.side)) is not None and cell.median is not None
        ]
        more = any(cell.better == "more" for cell in cells.values())
        rated.sort(key=lambda one: abs(one[0]), reverse=more)
        return [(side, cell) for _, side, cell in rated]


class Figure(msgspec.Struct, frozen=True):
    """A figure of our own on one store, also as it is shown."""

    name: str
    store: str
    unit: str
    median: float
    samples: list[float]
    shown: str
    spread: str
    asked: str
    ratio: str
    share: str
    verdict: str


class Own(msgspec.Struct, frozen=True):
    """A run by ourselves."""

    machine: dict[str, str]
    figures: list[Figure]


class Kept(msgspec.Struct, frozen=True):
    """What several files hold together."""

    comparison: Comparison | None
    own: Own | None


def read(files: Iterable[Path]) -> Kept:
    """Several runs as one: where two have the same figure, the later file counts."""
    documents: list[dict[str, Any]] = [msgspec.json.decode(file.read_bytes()) for file in files]
    compared = [msgspec.convert(one, Comparison) for one in documents if "sides" in one]
    alone = [msgspec.convert(one, Own) for one in documents if "sides" not in one]
    return Kept(
        _compared(compared) if compared else None,
        _alone(alone) if alone else None,
    )


def _compared(runs: Sequence[Comparison]) -> Comparison:
    sides = {one.side: one for run in runs for one in run.sides}
    figures = {(one.side, one.figure): one for run in runs for one in run.figures}
    return msgspec.structs.replace(
        max(runs, key=lambda run: len(run.figures)),
        sides=list(sides.values()),
        figures=list(figures.values()),
    )


def _alone(runs: Sequence[Own]) -> Own:
    machine = {name: fact for run in runs for name, fact in run.machine.items()}
    figures = {(one.name, one.store): one for run in runs for one in run.figures}
    return Own(machine, list(figures.values()))
