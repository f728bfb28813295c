"""`windlass worker`: run jobs until a signal."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from windlass.cli.arguments import BASIC, AppPath, span
from windlass.cli.desk import Desk
from windlass.config import load
from windlass.wiring.mustering import run_worker

Processes = Annotated[int | None, typer.Option(min=1, help="Worker processes.")]
Slots = Annotated[int | None, typer.Option(min=1, help="Jobs that each may run at once.")]
Threads = Annotated[int | None, typer.Option(min=1, help="CPU threads that each may grant.")]
Queues = Annotated[str | None, typer.Option(metavar="A,B", help="Only these queues.")]
Drain = Annotated[
    timedelta | None,
    typer.Option(parser=span, metavar="TIME", help="How long running jobs may go on after a stop."),
]

MetricsAt = Annotated[
    str | None, typer.Option("--metrics", metavar="HOST:PORT", help="Where to show metrics.")
]


def worker(  # noqa: PLR0913 - a worker has as many options
    desk: Desk,
    *,
    app: AppPath = None,
    processes: Processes = None,
    slots: Slots = None,
    threads: Threads = None,
    queues: Queues = None,
    drain: Drain = None,
    metrics: MetricsAt = None,
) -> None:
    """Run jobs until a signal.

    SIGTERM lets running jobs finish and hands the others back; a second one does not wait.
    Without --app it runs jobs of the built-in types.

    Example: windlass worker --app shop.jobs:app --processes 2 --queues mail,reports
    """
    given = {
        "app": app,
        "processes": processes,
        "slots": slots,
        "threads": threads,
        "queues": queues,
        "drain": written(drain),
        "metrics": metrics,
    }
    settings = load(os.environ, Path.cwd(), {**given, "store": desk.store})
    raise typer.Exit(run_worker(settings.app or BASIC, settings, called=desk.muster))


def written(length: timedelta | None) -> str | None:
    """A length of time as settings have it."""
    return None if length is None else f"{length.total_seconds()}s"
