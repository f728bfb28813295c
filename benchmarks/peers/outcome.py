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
    rounds: Sequence[int]  # of each sample
    common: int  # so many rounds had all sides, before the finals
    notes: Sequence[str]

    @property
    def median(self) -> float | None:
        """The sample in the middle of the rounds of all sides, if there is any."""
        taken = zip(self.rounds, self.samples, strict=True)
        shared = [one for number, one in taken if number < self.common]
        return median(shared) if shared else None

    def beside(self, other: Cell) -> list[tuple[float, float]]:
        """Samples of both that were taken in the same round, and so on the same machine."""
        theirs = dict(zip(other.rounds, other.samples, strict=True))
        ours = zip(self.rounds, self.samples, strict=True)
        return [(one, theirs[number]) for number, one in ours if number in theirs]

    @property
    def note(self) -> str:
        """Everything there is to say."""
        return "; ".join(dict.fromkeys(note for note in self.notes if note))


@dataclass(slots=True)
class Outcome:
    """Every sample so far, and the sides that could not take part."""

    headers: Sequence[Header]
    measures: Sequence[Measure]
    common: int = 1  # rounds of all sides
    broken: dict[str, str] = field(default_factory=dict)
    round: int = 0  # the one under way
    _samples: defaultdict[tuple[str, str], list[tuple[int, Sample]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def add(self, header: Header, sample: Sample) -> None:
        """Keep one more."""
        self._samples[header.side, sample.figure].append((self.round, sample))

    def hopeless(self, header: Header, measure: Measure) -> bool:
        """Whether the side was asked for this before, and had nothing to give."""
        taken = [self._samples.get((header.side, one.name), []) for one in measure.figures]
        return any(taken) and all(sample.value is None for one in taken for _, sample in one)

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
                        valued = [
                            (number, one.value) for number, one in taken if one.value is not None
                        ]
                        yield Cell(
                            header=header,
                            measure=measure.name,
                            figure=figure,
                            samples=[value for _, value in valued],
                            rounds=[number for number, _ in valued],
                            common=self.common,
                            notes=[one.note for _, one in taken],
                        )
