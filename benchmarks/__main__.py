"""`script/bench`: measure Windlass, and say whether it does what is asked of it."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine
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
from benchmarks.profile import profile
from benchmarks.run import Plan, run
from benchmarks.sites import Sites

T = TypeVar("T")

ROUNDS = 5
QUICK_ROUNDS = 3
NAMES = ", ".join([*GROUPS, *MEASURES])
WIDTH = 130  # of a table that goes to a file

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
        typer.Argument(metavar="[MEASURE]...", help=f"of {NAMES}; default: all"),
    ] = None,
    *,
    store: Annotated[Which, typer.Option(help="where jobs are kept")] = Which.BOTH,
    quick: Annotated[bool, typer.Option("--quick", help="smaller, in a few minutes")] = False,
    repeat: Annotated[int | None, typer.Option(min=1, help="rounds; default 5, quick 3")] = None,
    jobs: Annotated[int | None, typer.Option(min=1_000, help="jobs in one drain")] = None,
    processes: Annotated[int, typer.Option(min=1, help="processes of the worker")] = 1,
    patient: Annotated[
        bool, typer.Option("--patient", help="wait for a quiet machine before each sample")
    ] = False,
    json: Annotated[Path | None, typer.Option(help="keep the figures in this file")] = None,
    profiled: Annotated[
        bool, typer.Option("--profile", help="instead, show where the time of a job goes")
    ] = False,
) -> None:
    """Measure Windlass on databases of its own, and say whether it does what is asked of it."""
    scale = replace(QUICK if quick else FULL, processes=processes)
    plan = Plan(
        measures=chosen(names or list(MEASURES)),
        dialects=store.dialects,
        scale=scale if jobs is None else replace(scale, jobs=jobs),
        rounds=repeat or (QUICK_ROUNDS if quick else ROUNDS),
        patient=patient,
    )
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH)
    with Sites(plan.dialects) as sites:
        told = machine.facts(sites)
        for name, fact in told.items():
            console.print(f"[dim]{name:10}[/] {fact}", highlight=False)
        for warning in machine.warnings(sites):
            console.print(f"[yellow]{warning}[/]", highlight=False)
        if profiled:
            for dialect in plan.dialects:
                uvloop.run(in_order(profile(sites, dialect, plan.scale.jobs, console)))
            return
        others = machine.Elsewhere()
        results = uvloop.run(in_order(run(plan, sites, console))).results(plan)
        told["elsewhere"] = f"{others.cores():.2f} cores busy with something else on average"
    console.print("", report.table(results), told["elsewhere"], sep="\n")
    if json is not None:
        report.write(json, told, results)
    raise typer.Exit(int(any(result.verdict is Verdict.MISSED for result in results)))


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
    names = [one for name in names for one in GROUPS.get(name, (name,))]
    unknown = [name for name in names if name not in MEASURES]
    if unknown:
        raise typer.BadParameter(f"{unknown[0]!r} is not one of {NAMES}")
    wanted = {need for name in names for need in MEASURES[name].needs}.union(names)
    return [measure for name, measure in MEASURES.items() if name in wanted]


if __name__ == "__main__":
    command()
