"""`script/bench`: Windlass beside its peers, or by itself, and whether it does what is asked."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
import uvloop
from rich.console import Console

from benchmarks import machine, report
from benchmarks.figure import Dialect, Verdict
from benchmarks.measure import FULL, QUICK, Measure
from benchmarks.measures import GROUPS, MEASURES
from benchmarks.peers import comparison, marks
from benchmarks.peers import report as pages
from benchmarks.peers.comparison import Comparison
from benchmarks.peers.outcome import Outcome
from benchmarks.profile import profile
from benchmarks.run import Plan, run
from benchmarks.sites import Sites

T = TypeVar("T")

ROUNDS = 5
QUICK_ROUNDS = 3
OWN = "own"
NAMES = ", ".join([*GROUPS, *MEASURES])
WIDTH = 170  # of a table that goes to a file

command = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


class Which(StrEnum):
    """The databases to measure on."""

    POSTGRES = "postgres"
    SQLITE = "sqlite"
    BOTH = "both"

    @property
    def dialects(self) -> list[Dialect]:
        """As a list."""
        return list(Dialect) if self is Which.BOTH else [Dialect(self.value)]


@command.command()
def bench(  # noqa: PLR0913 — one argument per option
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MEASURE]...",
            help=f"measure Windlass alone: {OWN} for everything, or of {NAMES};"
            " without a name it is compared with its peers",
        ),
    ] = None,
    *,
    quick: Annotated[bool, typer.Option("--quick", help="smaller, in a few minutes")] = False,
    repeat: Annotated[
        int | None, typer.Option(min=1, help="rounds; default 3, quick 1; alone 5 and 3")
    ] = None,
    finals: Annotated[
        int | None,
        typer.Option(min=0, help="rounds more of the sides that decide; default 4, quick 1"),
    ] = None,
    json: Annotated[Path | None, typer.Option(help="keep the figures in this file")] = None,
    only: Annotated[
        str | None, typer.Option(metavar="A,B", help="compare with these sides only")
    ] = None,
    take: Annotated[
        str | None, typer.Option(metavar="A,B", help="compare by these measures only")
    ] = None,
    skip: Annotated[
        str | None, typer.Option(metavar="A,B", help="compare without these measures")
    ] = None,
    store: Annotated[Which, typer.Option(help="where jobs are kept, alone")] = Which.BOTH,
    jobs: Annotated[int | None, typer.Option(min=1_000, help="jobs in one drain, alone")] = None,
    processes: Annotated[int, typer.Option(min=1, help="processes of the worker, alone")] = 1,
    patient: Annotated[
        bool, typer.Option("--patient", help="wait for a quiet machine before each sample, alone")
    ] = False,
    profiled: Annotated[
        bool, typer.Option("--profile", help="instead, show where the time of a job goes")
    ] = False,
) -> None:
    """Compare Windlass with its peers, or measure it alone; say whether it does what is asked."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH)
    if not names and not profiled:
        against = comparison.planned(
            only=only, take=take, skip=skip, quick=quick, rounds=repeat, finals=finals
        )
        raise typer.Exit(int(not compared(against, console, json)))
    scale = replace(QUICK if quick else FULL, processes=processes)
    plan = Plan(
        measures=chosen(names or [OWN]),
        dialects=store.dialects,
        scale=scale if jobs is None else replace(scale, jobs=jobs),
        rounds=repeat or (QUICK_ROUNDS if quick else ROUNDS),
        patient=patient,
    )
    if profiled:
        show_profile(plan, console)
        return
    raise typer.Exit(int(not alone(plan, console, json)))


def compared(plan: comparison.Plan, console: Console, json: Path | None) -> bool:
    """Measure Windlass beside its peers; whether nothing was missed that is asked of it."""
    with opened(list(Dialect), console) as (sites, told):
        assert sites.postgres is not None
        told["redis"] = machine.redis()
        others = machine.Elsewhere()

        def keep(outcome: Outcome) -> None:
            told["elsewhere"] = others.told()
            if json is not None:
                pages.write(json, told, plan, outcome)

        running = Comparison(plan, sites.postgres, console, keep)
        outcome = uvloop.run(in_order(running.run()))
    rulings = list(marks.rulings(outcome))
    for drawn in (*pages.tables(outcome), *([pages.judged(rulings)] if rulings else [])):
        console.print("", drawn, sep="\n")
    for line in ("", *pages.notes(outcome), told["elsewhere"]):
        console.print(line, highlight=False)
    return all(ruling.verdict is not Verdict.MISSED for ruling in rulings)


def alone(plan: Plan, console: Console, json: Path | None) -> bool:
    """Measure Windlass by itself; whether nothing was missed."""
    with opened(plan.dialects, console) as (sites, told):
        others = machine.Elsewhere()
        results = uvloop.run(in_order(run(plan, sites, console))).results(plan)
        told["elsewhere"] = others.told()
    console.print("", report.table(results), told["elsewhere"], sep="\n")
    if json is not None:
        report.write(json, told, results)
    return all(result.verdict is not Verdict.MISSED for result in results)


def show_profile(plan: Plan, console: Console) -> None:
    """Where the time of a job goes."""
    with opened(plan.dialects, console) as (sites, _):
        for dialect in plan.dialects:
            uvloop.run(in_order(profile(sites, dialect, plan.scale.jobs, console)))


@contextmanager
def opened(dialects: Sequence[Dialect], console: Console) -> Iterator[tuple[Sites, dict[str, str]]]:
    """The databases of a run, and what is to be known of the machine, which is also shown."""
    with Sites(dialects) as sites:
        told = machine.facts(sites)
        for name, fact in told.items():
            console.print(f"[dim]{name:10}[/] {fact}", highlight=False)
        for warning in machine.warnings(sites):
            console.print(f"[yellow]{warning}[/]", highlight=False)
        yield sites, told


async def in_order(work: Coroutine[Any, Any, T]) -> T:
    """Let SIGTERM end it as an interrupt does: workers stop, databases and folders go."""
    task = asyncio.ensure_future(work)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        return await task
    except asyncio.CancelledError:
        raise typer.Exit(128 + signal.SIGTERM) from None


def chosen(names: list[str]) -> list[Measure]:
    """The measures of these names and those they are compared with, in the order of the list."""
    names = list(MEASURES) if OWN in names else names
    names = [one for name in names for one in GROUPS.get(name, (name,))]
    unknown = [name for name in names if name not in MEASURES]
    if unknown:
        raise typer.BadParameter(f"{unknown[0]!r} is not {OWN} or one of {NAMES}")
    wanted = {need for name in names for need in MEASURES[name].needs}.union(names)
    return [measure for name, measure in MEASURES.items() if name in wanted]


if __name__ == "__main__":
    command()
