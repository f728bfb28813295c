"""`windlass bulk`: retry, cancel or delete all jobs that fit a query."""

from __future__ import annotations

from typing import Annotated

import typer

from windlass.cli import look
from windlass.cli.desk import Desk
from windlass.cli.enqueue import Timeout, Wait
from windlass.cli.follow import follow
from windlass.core.bulk import Action

Verb = Annotated[
    str,
    typer.Argument(
        metavar="ACTION", help="retry, cancel or delete.", autocompletion=lambda: [*Action]
    ),
]
Query = Annotated[
    str,
    typer.Argument(
        metavar="QUERY",
        help="Which jobs, as `windlass jobs` takes it: 'status:failed type:email age:<2h'.",
    ),
]
Rate = Annotated[float | None, typer.Option(help="So many jobs a second, at most.")]


async def bulk(
    desk: Desk,
    action: Verb,
    query: Query,
    *,
    rate: Rate = None,
    wait: Wait = False,
    timeout: Timeout = None,
) -> None:
    """Retry, cancel or delete all jobs that fit a query.

    A worker does it, chunk by chunk, as a job that can be looked at and cancelled itself. Running
    jobs are asked to stop; only finished ones are deleted. To see first which ones those are, give
    the same query to `windlass jobs`.

    Example: windlass bulk retry 'status:failed error:"timed out"' --wait

    Example: windlass bulk delete 'status:completed age:>30d' --rate 1000
    """
    kept = await desk.app.bulk(action, query, rate=rate)
    if wait:
        await follow(desk, kept.id, timeout)
        return
    desk.answer({"id": kept.id, "state": kept.state}, look.identity(kept.id))
    desk.say(f"a worker does it; see how it goes: windlass job {kept.id}")
