"""Errors as a tired person needs them: one sentence, what to try, and a code for scripts."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

import typer

from windlass.cli.words import harmless
from windlass.core import errors
from windlass.core.errors import WindlassError


class Code(IntEnum):
    """How a command ended."""

    OK = 0
    REFUSED = 1  # the job failed, or what was asked for cannot be done to it
    USAGE = 2  # the command was not understood, and changed nothing
    AWAY = 3  # the store cannot serve right now; the same command may work later
    TIMEOUT = 124  # as timeout(1) says it
    INTERRUPTED = 130  # as a shell says it


# The first class that fits decides, so the special ones come before the general.
CODES: tuple[tuple[type[WindlassError], Code], ...] = (
    (errors.BadInput, Code.USAGE),
    (errors.StoreAway, Code.AWAY),
    (errors.Busy, Code.AWAY),
    (errors.NotMigrated, Code.AWAY),
    (errors.NotFinished, Code.TIMEOUT),
)
HINTS: tuple[tuple[type[WindlassError], str], ...] = (
    (errors.UnknownJob, "the newest ones: windlass jobs"),
    (errors.UnknownWorker, "who there is: windlass workers"),
    (errors.WrongState, "all about it: windlass job {problem.id}"),
    (errors.KeyTaken, "the job that has it: windlass job {problem.id}"),
    (errors.NotFinished, "see how it goes: windlass job {problem.id}"),
    (errors.BadStore, "what is wrong with it: windlass doctor; or name another with --store URL"),
    (errors.StoreAway, "what is wrong with it: windlass doctor"),
    (errors.Busy, "try again; if it stays so: windlass doctor"),
)


def code_of(problem: WindlassError) -> Code:
    """The exit code for this error."""
    return next((code for kind, code in CODES if isinstance(problem, kind)), Code.REFUSED)


def hint_of(problem: WindlassError) -> str | None:
    """What to try next."""
    hints = (hint for kind, hint in HINTS if isinstance(problem, kind))
    hint = next(hints, None)
    return hint and hint.format(problem=problem)


@contextmanager
def in_words() -> Iterator[None]:
    """Tell errors in words and leave with their code; WINDLASS_DEBUG=1 shows where they arose."""
    try:
        yield
    except WindlassError as problem:
        if os.environ.get("WINDLASS_DEBUG"):
            raise
        complain(problem)
        sys.exit(code_of(problem))


def complain(problem: WindlassError) -> None:
    """Write the error to stderr."""
    colour = None if os.environ.get("NO_COLOR") else "red"
    typer.echo(f"{typer.style('error:', fg=colour)} {harmless(str(problem))}", err=True)
    if hint := hint_of(problem):
        typer.echo(f"  try: {hint}", err=True)
