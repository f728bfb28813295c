"""`windlass enqueue`: put a job in, and wait for what becomes of it if asked to."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from windlass.cli import document, look
from windlass.cli.arguments import AppPath, moment, span
from windlass.cli.desk import Desk
from windlass.cli.follow import follow
from windlass.cli.unchecked import unchecked

if TYPE_CHECKING:
    from windlass.app.options import Options
    from windlass.core.job import NewJob
    from windlass.store.records import Enqueued

Type = Annotated[str, typer.Argument(metavar="TYPE", help="The type of job.")]
Payload = Annotated[
    str, typer.Argument(metavar="JSON", help="Its payload; @FILE reads a file, - reads stdin.")
]
Wait = Annotated[bool, typer.Option("--wait", help="Wait for the result; exit 1 if it fails.")]
Timeout = Annotated[
    timedelta | None,
    typer.Option(parser=span, metavar="TIME", help="With --wait: no longer than this; exit 124."),
]
Queue = Annotated[str | None, typer.Option(metavar="QUEUE", help="Where to put it.")]
Priority = Annotated[int | None, typer.Option(help="From -100 to 100; higher goes first.")]
Delay = Annotated[
    timedelta | None, typer.Option(parser=span, metavar="TIME", help="Run it later, as in 5m.")
]
RunAt = Annotated[
    datetime | None,
    typer.Option(parser=moment, metavar="WHEN", help="Run it then, as in 2030-01-31T08:00Z."),
]
Key = Annotated[
    str | None,
    typer.Option(metavar="KEY", help="Idempotency key: a second job with it is not made."),
]
Threads = Annotated[int | None, typer.Option(help="CPU threads that it asks for, 1 to 256.")]
MaxAttempts = Annotated[int | None, typer.Option(help="How often it may fail.")]
Name = Annotated[str | None, typer.Option(metavar="NAME", help="What to call it.")]


async def enqueue(  # noqa: PLR0913 - a job has as many options
    desk: Desk,
    type: Type,  # noqa: A002 - what everybody calls it
    payload: Payload = "{}",
    *,
    app: AppPath = None,
    wait: Wait = False,
    timeout: Timeout = None,
    queue: Queue = None,
    priority: Priority = None,
    delay: Delay = None,
    run_at: RunAt = None,
    key: Key = None,
    threads: Threads = None,
    max_attempts: MaxAttempts = None,
    name: Name = None,
) -> None:
    """Put a job in, and wait for its result if asked to.

    With --app the payload is checked against the handler first.

    Example: windlass enqueue welcome '{"user": "ada"}' --app shop.jobs:app --wait

    Example: windlass enqueue report @report.json --delay 5m --queue slow
    """
    options = _given(
        queue=queue,
        priority=priority,
        delay=delay,
        run_at=run_at,
        idempotency_key=key,
        thread_demand=threads,
        max_attempts=max_attempts,
        name=name,
    )
    job = _made(desk, app or desk.settings.app, type, document.read(payload), options)
    kept = await desk.app.enqueue(job)
    if not wait:
        desk.answer({**kept._asdict(), "type": type, "queue": job.queue}, look.identity(kept.id))
    desk.say(_told(kept, job))
    if wait:
        await follow(desk, kept.id, timeout)


def _given(**options: Any) -> Options:
    given = {name: value for name, value in options.items() if value is not None}
    return cast("Options", given)


def _made(desk: Desk, app: str | None, type_: str, payload: object, options: Options) -> NewJob:
    if app is not None:
        return desk.load_app(app).job_of(type_, payload, **options)
    desk.say(f"not checked whether a handler knows {type_} and this payload; --app would tell")
    return unchecked(type_, payload, options)


def _told(kept: Enqueued, job: NewJob) -> str:
    if kept.state is None:
        return f"key {job.key} has made this job, which is over and no longer kept; use a new key"
    if kept.existing:
        return f"key {job.key} has this job already, {kept.state}: windlass job {kept.id}"
    return f"{kept.state} in queue {job.queue}; see how it goes: windlass job {kept.id}"
