"""What the samples of each side come to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median

from benchmarks.peers.header import Header
from benchmarks.peers.measure import Figure, Measure, Sample


@dataclass(frozen=True, slots=True)
class Cell:
    """One figure of one side: its samples, and what must be said about them."""

    header: Header
    measure: str
    figure: Figure
    samples: Sequence[float]
    notes: Sequence[str]

    @property
    def median(self) -> float | None:
        """The sample in the middle, if there is any."""
        return median(self.samples) if self.samples else None

    @property
    def note(self) -> str:
        """Everything there is to say."""
        return "; ".join(dict.fromkeys(note for note in self.notes if note))


@dataclass(slots=True)
class Outcome:
    """Every sample so far, and the sides that could not take part."""

    headers: Sequence[Header]
    measures: Sequence[Measure]
    broken: dict[str, str] = field(default_factory=dict)
    _samples: defaultdict[tuple[str, str], list[Sample]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def add(self, header: Header, sample: Sample) -> None:
        """Keep one more."""
        self._samples[header.side, sample.figure].append(sample)

    def hopeless(self, header: Header, measure: Measure) -> bool:
        """Whether the side was asked for this before, and had nothing to give."""
        taken = [self._samples.get((header.side, one.name), []) for one in measure.figures]
        return any(taken) and not any(sample.value is not None for one in taken for sample in one)

    def cell(self, side: str, figure: str) -> Cell | None:
        """One of them, if it was measured."""
        return next(
            (c for c in self.cells() if (c.header.side, c.figure.name) == (side, figure)), None
        )

    def cells(self) -> Iterator[Cell]:
        """All of them, measure by measure."""
        for measure in self.measures:
            for figure in measure.figures:
                for header in self.headers:
                    taken = self._samples.get((header.side, figure.name))
                    if taken:
                        values = [one.value for one in taken if one.value is not None]
                        notes = [one.note for one in taken]
                        yield Cell(header, measure.name, figure, values, notes)
