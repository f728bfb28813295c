"""Arguments that more than one command takes."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated

import typer

from windlass.core.duration import parse_duration
from windlass.core.errors import BadInput


def span(written: str) -> timedelta:
    """A duration as it was written."""
    try:
        return parse_duration(written)
    except BadInput as problem:
        raise typer.BadParameter(str(problem)) from None


def moment(written: str) -> datetime:
    """A point in time as it was written, with its time zone."""
    try:
        made = datetime.fromisoformat(written)
    except ValueError:
        made = None
    if made is None or made.utcoffset() is None:
        raise typer.BadParameter(f"{written!r} is no time; write it like 2030-01-31T08:00+01:00")
    return made


# The app that has the built-in types of job and no others.
BASIC = "windlass.wiring.basic:app"

AppPath = Annotated[
    str | None,
    typer.Option("--app", metavar="MODULE:APP", help="Your app, as module:variable."),
]
JobArgument = Annotated[str, typer.Argument(metavar="ID", help="The job's id.")]
JobArguments = Annotated[list[str], typer.Argument(metavar="ID", help="Ids of jobs.")]
QueueArgument = Annotated[str, typer.Argument(metavar="QUEUE", help="The queue's name.")]
