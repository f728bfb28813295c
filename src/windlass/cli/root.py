"""The whole command line: which commands there are, and in what order help shows them."""

from __future__ import annotations

import os
import sys
from copy import copy
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

from windlass.cli.common import AsJson, Common, StoreUrl
from windlass.cli.completion import in_whole_words
from windlass.cli.problems import in_words
from windlass.starting import read

if TYPE_CHECKING:
    from windlass.worker.muster import Muster

# What help says of each command, by the module that has it. A module is imported when its command
# is run: to show all of them takes none, and so no time.
COMMANDS = {
    "Run": {
        "up.up": "Serve the API and run jobs, until a signal.",
        "serve.serve": "Serve the API until a signal; the jobs are run by `windlass worker`.",
        "worker.worker": "Run jobs until a signal.",
        "enqueue.enqueue": "Put a job in, and wait for its result if asked to.",
    },
    "Jobs": {
        "jobs.jobs": "List jobs, the newest first.",
        "job.job": "Show everything about a job, and why it is where it is.",
        "job.explain": "Say why a job is where it is, and how long it may wait yet.",
        "act.retry": "Put failed or cancelled jobs back in line.",
        "act.run": "Run jobs now that are for later, or that wait for their retry.",
        "act.cancel": "Cancel waiting jobs at once, and ask running ones to stop.",
        "dead.dead": "Group the jobs that failed for good by type and error.",
        "bulk.bulk": "Retry, cancel or delete all jobs that fit a query.",
    },
    "Queues and workers": {
        "top.top": "Watch queues, workers and jobs as they change, and act on them.",
        "fleet.stats": "Count the jobs in each state.",
        "fleet.incidents": "Say in sentences what is wrong right now.",
        "fleet.workers": "List the workers, what they serve and how much they run.",
        "fleet.drain": "Let a worker finish what it runs and claim no more.",
        "queues.queues": "List the queues in which jobs wait, and those that are paused.",
        "queues.pause": "Let no job of a queue start from now on; those that run go on.",
        "queues.resume": "Let the jobs of a paused queue start again.",
        "aging.aging": "Show or change how much waiting is worth one point of priority.",
    },
    "Access": {
        "token.token": "Make a token for a program that asks the API.",
        "user.user": "Add, list or remove users who can log in, or change a password.",
    },
    "Store": {
        "doctor.doctor": "Check everything, and say what is wrong and what to do.",
        "migrate.migrate": "Bring the tables to the version of this program, or back.",
        "bench.bench": "Measure how fast this store is, and leave nothing behind.",
        "version.version": "Show the version of Windlass and of Python.",
    },
}
PLACES = {place.partition(".")[2]: place for panel in COMMANDS.values() for place in panel}
HELP = {"help_option_names": ["-h", "--help"]}


def main(muster: Muster | None = None) -> None:
    """Run one command; the muster has called up the first worker process, if there shall be any."""
    # The way to ask for it that most programs understand.
    asked = ["version"] if sys.argv[1:] == ["--version"] else None
    with in_words(), in_whole_words(os.environ):
        line()(asked, prog_name="windlass", obj=muster)


def line() -> typer.Typer:
    """The command line, its commands known by their names."""
    made = typer.Typer(
        cls=Line, no_args_is_help=True, pretty_exceptions_enable=False, context_settings=HELP
    )
    made.callback()(before)
    for panel, commands in COMMANDS.items():
        for place, summary in commands.items():
            name = place.partition(".")[2]
            made.command(name, help=summary, rich_help_panel=panel)(known_by_name)
    return made


class Line(TyperGroup):
    """Imports a command when it is about to be run."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is meant, itself instead of its name."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, load(name) if name else None, rest

    def get_params(self, ctx: Any) -> list[Any]:
        """Its options, as they are shown."""
        return plain(super().get_params(ctx))


class Command(TyperCommand):
    """One command, and how its help looks."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its arguments and options, as they are shown."""
        return plain(super().get_params(ctx))


def plain(params: list[Any]) -> list[Any]:
    """Without the types of arguments, whose names say enough unless there is a choice."""
    for one in params:
        if isinstance(one, TyperArgument):
            one.type = _untyped(one.type)
        elif one.metavar is None and not one.is_flag:
            one.metavar = "N"  # whatever is no number has a name
    return params


def _untyped(kind: Any) -> Any:
    if hasattr(kind, "choices"):
        return kind
    silent = copy(kind)  # the same is used by others
    silent.get_metavar = _nothing
    return silent


def _nothing(*_: object, **__: object) -> str:
    return ""


def load(name: str) -> Any:
    """The command of this name."""
    from windlass.cli.command import command  # noqa: PLC0415 - as the commands themselves

    module, _, verb = PLACES[name].partition(".")
    run = getattr(read(f"windlass.cli.{module}"), verb)
    one = typer.Typer(add_completion=False, context_settings=HELP)
    one.command(name, cls=Command, help=_flowing(run.__doc__))(command(run))
    return typer.main.get_command(one)


def _flowing(text: str) -> str:
    """The paragraphs of a text, each in one line, to be broken where the terminal ends."""
    paragraphs = cleandoc(text).split("\n\n")
    return "\n\n".join(" ".join(one.split()) for one in paragraphs)


def known_by_name() -> None:
    """Stand for a command that is not imported."""


def before(ctx: typer.Context, *, store: StoreUrl = None, json: AsJson = False) -> None:
    """Windlass runs jobs and never loses one.

    Begin with: windlass up
    """
    ctx.obj = Common(store, json, ctx.obj)
