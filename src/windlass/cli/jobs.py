"""`windlass jobs`: the newest jobs, a line each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, cast

import typer
from rich.console import RenderableType
from rich.table import Table

from windlass.cli import look, wire
from windlass.cli.desk import Desk
from windlass.cli.words import ago, first_line, instant, span
from windlass.core.job import State

if TYPE_CHECKING:
    from windlass.app import Job
    from windlass.app.which import Which
    from windlass.core.job import JobId

TITLES = ("id", "state", "type", "queue?", "attempts>?", "asked for>??", "ran for>?", "??")


InState = Annotated[
    list[str] | None,
    typer.Option(
        "--status",
        "--state",
        metavar="STATE",
        help="Only in this state; repeatable.",
        autocompletion=lambda: [*State],
    ),
]
OfType = Annotated[str | None, typer.Option(metavar="TYPE", help="Only of this type.")]
InQueue = Annotated[str | None, typer.Option(metavar="QUEUE", help="Only in this queue.")]


async def jobs(  # noqa: PLR0913 — each is an option
    desk: Desk,
    query: Annotated[
        str | None,
        typer.Argument(
            metavar="QUERY",
            help="Which ones, as 'status:failed type:email age:<2h error:\"timed out\"'.",
        ),
    ] = None,
    *,
    status: InState = None,
    type: OfType = None,  # noqa: A002 - what everybody calls it
    queue: InQueue = None,
    limit: Annotated[int, typer.Option(help="At most so many.")] = 20,
    before: Annotated[str | None, typer.Option(metavar="ID", help="Only older than this.")] = None,
) -> None:
    """List jobs, the newest first.

    A query has words like status:failed, type:email, queue:mail, name:x, key:k, age:>10m,
    created:>2026-11-01, payload.user.id:42 and error:"timed out"; bare words are a part of the
    error.

    Example: windlass jobs --status failed --queue mail

    Example: windlass jobs 'status:failed age:<2h payload.user.id:42'
    """
    from windlass.app.view import view  # noqa: PLC0415 - slow, and --help needs none

    asked = {
        "query": query,
        "status": status,
        "type": type,
        "queue": queue,
        "limit": limit,
        "before": before,
    }
    which = {name: value for name, value in asked.items() if value is not None}
    page = await desk.app.page(**cast("Which", which))
    found = [view(job) for job in page.jobs]
    desk.answer([wire.job(job) for job in found], _listed(found, desk))
    if page.looked_back_to is not None:
        desk.say(f"looked back to {instant(page.looked_back_to)}", "yellow")
    desk.suggest(_next_step(found, page.next, filtered=bool(which.keys() - {"limit"})))


def _listed(jobs: Sequence[Job], desk: Desk) -> Table | str:
    rows = [_row(job, desk.now) for job in jobs]
    return look.table(TITLES, rows, width=desk.width) if rows else "no jobs"


def _row(job: Job, now: datetime) -> Sequence[RenderableType]:
    return (
        look.identity(job.id),
        look.state(job.state),
        job.type,
        job.queue,
        f"{job.attempts}/{job.max_attempts}",
        ago(job.created_at, now),
        span(job.execution_time),
        look.text(first_line(job.error or job.name), "dim"),
    )


def _next_step(jobs: Sequence[Job], older: JobId | None, *, filtered: bool) -> str:
    if older is not None:
        return f"older ones: add --before {older}"
    if jobs:
        return f"all about one: windlass job {jobs[0].id}"
    if filtered:
        return "how many there are in each state: windlass stats"
    return 'put one in: windlass enqueue TYPE \'{"key": "value"}\''
