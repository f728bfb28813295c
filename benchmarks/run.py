"""Takes measures in turns, so that whatever disturbs the machine disturbs all of them alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from benchmarks.figure import Dialect, Result, number
from benchmarks.machine import BUSY, Elsewhere
from benchmarks.measure import Bench, Measure, Sample, Scale
from benchmarks.sites import Sites


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to measure, on what, how much and how often."""

    measures: Sequence[Measure]
    dialects: Sequence[Dialect]
    scale: Scale
    rounds: int

    def turns(self) -> Iterator[tuple[Measure, Dialect]]:
        """Round after round, each measure on each database."""
        for turn in range(self.rounds):
            for measure in self.measures:
                if measure.once and turn > 0:
                    continue
                for dialect in self.dialects:
                    if dialect in measure.dialects:
                        yield measure, dialect


@dataclass(slots=True)
class Samples:
    """Every sample taken so far, by database and figure."""

    by_place: defaultdict[tuple[Dialect, str], list[float]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def add(self, dialect: Dialect, sample: Sample) -> None:
        """Keep one more."""
        self.by_place[dialect, sample.figure].append(sample.value)

    def results(self, plan: Plan) -> list[Result]:
        """What the samples come to, in the order of the measures."""
        return [
            Result(
                figure=figure,
                dialect=dialect,
                samples=samples,
                base=self.by_place.get((dialect, figure.base or ""), ()),
            )
            for measure in plan.measures
            for figure in measure.figures
            for dialect in plan.dialects
            if (samples := self.by_place.get((dialect, figure.name)))
        ]


async def run(plan: Plan, sites: Sites, console: Console) -> Samples:
    """Carry the plan out and show each sample as it comes."""
    samples = Samples()
    turns = list(plan.turns())
    with _progress(console) as progress:
        task = progress.add_task("", total=len(turns))
        for measure, dialect in turns:
            title = f"{measure.name} on {dialect.label}"
            say = partial(_say, progress, task, title)
            say("")
            bench = Bench(plan.scale, partial(sites.fresh, dialect), say)
            others = Elsewhere()
            async for sample in measure.take(bench):
                samples.add(dialect, sample)
                console.print(_line(measure, dialect, sample, others.cores()), highlight=False)
            progress.advance(task)
    return samples


def _progress(console: Console) -> Progress:
    return Progress(
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
        console=console,
        transient=True,
    )


def _say(progress: Progress, task: TaskID, title: str, doing: str) -> None:
    progress.update(task, description=f"{title} [dim]{doing}[/]")


def _line(measure: Measure, dialect: Dialect, sample: Sample, elsewhere: float) -> str:
    unit = next(figure.unit for figure in measure.figures if figure.name == sample.figure)
    disturbed = f"  [yellow]{elsewhere:.1f} cores busy elsewhere[/]" if elsewhere > BUSY else ""
    figure = f"{sample.figure:44} {number(sample.value):>10} {unit:12}"
    return f"[dim]{dialect.label:10}[/]  {figure}{disturbed}"
