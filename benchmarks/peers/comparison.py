"""Takes the measures side by side and in turns, so that what disturbs one disturbs all alike.

After the rounds of all come some of those alone who decide a mark, as it stands before each.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import typer
from rich.console import Console
from rich.progress import Progress, TaskID

from benchmarks.machine import BUSY, Elsewhere
from benchmarks.peers import marks
from benchmarks.peers.crew import SideFailed, adopt_orphans
from benchmarks.peers.environment import NotInstalled, programs
from benchmarks.peers.header import Header, headers
from benchmarks.peers.measure import FULL, QUICK, Bench, Measure, Sample, Scale, shown
from benchmarks.peers.measures import MEASURES
from benchmarks.peers.outcome import Outcome
from benchmarks.peers.stage import stage
from benchmarks.run import progress_bar
from benchmarks.sites import leashed_folder
from tests.services import PostgresServer

LONGEST = 180.0  # seconds for one measure of one side
TOGETHER = 4  # sides at once, where no time is taken
WIDTH = 30  # of a side's name


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Which sides, compared by what, how much and how often."""

    headers: Sequence[Header]
    measures: Sequence[Measure]
    scale: Scale
    rounds: int
    finals: int = 0

    def turns(self, number: int) -> Iterator[tuple[Measure, list[Header]]]:
        """In one round each measure, and within it side after side, or several at once."""
        for measure in self.measures:
            if number < measure.rounds:
                size = TOGETHER if measure.together else 1
                for first in range(0, len(self.headers), size):
                    yield measure, list(self.headers[first : first + size])


def planned(
    *,
    only: str | None = None,
    take: str | None = None,
    skip: str | None = None,
    quick: bool = False,
    rounds: int | None = None,
    finals: int | None = None,
) -> Plan:
    """What the command line asks for; ours take part even if it names peers only."""
    scale = QUICK if quick else FULL
    sides = {header.side: header for header in headers()}
    ours = {side for side, header in sides.items() if header.ours}
    named = _names(only, sides, "a side") or set(sides)
    named |= set() if named & ours else ours
    taken = _names(take, MEASURES, "a measure")
    left = _names(skip, MEASURES, "a measure")
    return Plan(
        headers=[one for one in sides.values() if one.side in named],
        measures=[
            one
            for one in MEASURES.values()
            if one.name not in left and (one.name in taken if taken else one.quick or not quick)
        ],
        scale=scale,
        rounds=rounds or scale.rounds,
        finals=scale.finals if finals is None else finals,
    )


def _names(given: str | None, known: Collection[str], what: str) -> set[str]:
    names = set((given or "").replace(",", " ").split())
    unknown = sorted(names.difference(known))
    if unknown:
        raise typer.BadParameter(f"{unknown[0]!r} is not {what}: {', '.join(known)}")
    return names


@dataclass(slots=True)
class Comparison:
    """A comparison under way."""

    plan: Plan
    postgres: PostgresServer
    console: Console
    keep: Callable[[Outcome], None] = lambda _: None  # called after each turn
    outcome: Outcome = field(init=False)
    _programs: dict[str, Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Nothing is known yet."""
        self.outcome = Outcome(self.plan.headers, self.plan.measures, self.plan.rounds)

    async def run(self) -> Outcome:
        """Carry the plan out and show each sample as it comes."""
        adopt_orphans()
        with progress_bar(self.console) as progress, leashed_folder() as folder:
            await self._install(progress)
            for number in range(self.plan.rounds + self.plan.finals):
                self.outcome.round = number
                await self._play(list(self._turns(number)), folder, progress)
        return self.outcome

    def _turns(self, number: int) -> Iterator[tuple[Measure, list[Header]]]:
        """Those of all sides, and after the last round those of the finalists."""
        if number < self.plan.rounds:
            yield from self.plan.turns(number)
            return
        for measure, sides in marks.finalists(self.outcome):
            for header in sides:
                yield measure, [header]

    async def _play(
        self, turns: Sequence[tuple[Measure, list[Header]]], folder: Path, progress: Progress
    ) -> None:
        """Take the samples of one round, turn by turn."""
        task = progress.add_task("", total=len(turns))
        for measure, sides in turns:
            able = [header for header in sides if self._able(header, measure)]
            async with asyncio.TaskGroup() as group:
                for header in able:
                    say = partial(_say, progress, task, f"{measure.name}: {header.name}")
                    group.create_task(self._take(measure, header, folder, say))
            self.keep(self.outcome)
            progress.advance(task)
        progress.remove_task(task)

    async def _install(self, progress: Progress) -> None:
        """Have an environment for each side; one that cannot be made leaves its side out."""
        task = progress.add_task("", total=len(self.plan.headers))
        for header in self.plan.headers:
            _say(progress, task, f"installing {header.name}", "")
            try:
                self._programs[header.side] = await programs(header)
            except NotInstalled as problem:
                self.outcome.broken[header.side] = f"could not be installed: {problem}"
                self.console.print(f"[red]{header.name}[/] {problem}", highlight=False)
            progress.advance(task)
        progress.remove_task(task)

    def _able(self, header: Header, measure: Measure) -> bool:
        return header.side in self._programs and not self.outcome.hopeless(header, measure)

    async def _take(
        self, measure: Measure, header: Header, folder: Path, say: Callable[[str], None]
    ) -> None:
        """The samples of one side; if it breaks, its cells say why and the others go on."""
        others = Elsewhere()
        missing = {figure.name for figure in measure.figures}
        fresh = partial(stage, header, self._programs[header.side], self.postgres, folder)
        try:
            async with asyncio.timeout(LONGEST):
                async for sample in measure.take(Bench(self.plan.scale, fresh, say)):
                    missing.discard(sample.figure)
                    self._keep(measure, header, sample, others.cores())
        except SideFailed as problem:
            self._failed(header, missing, str(problem))
        except TimeoutError:
            self._failed(header, missing, f"took more than {LONGEST:g} s")
        except Exception as problem:  # noqa: BLE001 — whatever it is, the other sides go on
            self._failed(header, missing, f"{type(problem).__name__}: {problem}")

    def _failed(self, header: Header, missing: set[str], why: str) -> None:
        self.console.print(f"[dim]{header.name:{WIDTH}}[/] [red]{why}[/]", highlight=False)
        for figure in sorted(missing):
            self.outcome.add(header, Sample(figure, None, why))

    def _keep(self, measure: Measure, header: Header, sample: Sample, elsewhere: float) -> None:
        self.outcome.add(header, sample)
        unit = next(one.unit for one in measure.figures if one.name == sample.figure)
        value = "-" if sample.value is None else f"{shown(sample.value, unit)} {unit}"
        busy = not measure.together and elsewhere > BUSY
        disturbed = f"  [yellow]{elsewhere:.1f} cores busy elsewhere[/]" if busy else ""
        line = f"[dim]{header.name:{WIDTH}}[/] {sample.figure:18} {value:>18} {sample.note}"
        self.console.print(f"{line}{disturbed}", highlight=False)


def _say(progress: Progress, task: TaskID, title: str, doing: str) -> None:
    progress.update(task, description=f"{title} [dim]{doing}[/]")
