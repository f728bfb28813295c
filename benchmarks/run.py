"""Takes measures in turns, so that whatever disturbs the machine disturbs all of them alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
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
from benchmarks.machine import BUSY, Elsewhere, quiet
from benchmarks.measure import Bench, Measure, Sample, Scale
from benchmarks.sites import Sites

# How long to wait for a quiet machine, in seconds, and how often to hope that it stays so.
WAIT = 600.0
TRIES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to measure, on what, how much and how often."""

    measures: Sequence[Measure]
    dialects: Sequence[Dialect]
    scale: Scale
    rounds: int
    patient: bool = False

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
    with progress_bar(console) as progress:
        task = progress.add_task("", total=len(turns))
        for measure, dialect in turns:
            say = partial(_say, progress, task, f"{measure.name} on {dialect.label}")
            bench = Bench(plan.scale, partial(sites.fresh, dialect), say)
            show = partial(_show, console, measure, dialect)
            for sample in await _taken(measure, bench, show, patient=plan.patient):
                samples.add(dialect, sample)
            progress.advance(task)
    return samples


async def _taken(
    measure: Measure, bench: Bench, show: Callable[[Sample, float], None], *, patient: bool
) -> list[Sample]:
    """The samples of one turn; whoever is patient takes them again if something came between."""
    tries = TRIES if patient else 1
    taken: list[Sample] = []
    while tries:
        tries -= 1
        if patient:
            bench.say("waiting for a quiet machine")
            await quiet(WAIT)
        bench.say("")
        taken, others = [], Elsewhere()
        async for sample in measure.take(bench):
            taken.append(sample)
            show(sample, others.cores())
        if others.cores() <= BUSY:
            break
    return taken


def progress_bar(console: Console) -> Progress:
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


def _show(
    console: Console, measure: Measure, dialect: Dialect, sample: Sample, elsewhere: float
) -> None:
    unit = next(figure.unit for figure in measure.figures if figure.name == sample.figure)
    figure = f"{sample.figure:44} {number(sample.value):>10} {unit:12}"
    disturbed = f"  [yellow]{elsewhere:.1f} cores busy elsewhere[/]" if elsewhere > BUSY else ""
    console.print(f"[dim]{dialect.label:10}[/]  {figure}{disturbed}", highlight=False)
