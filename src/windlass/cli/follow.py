"""Waits for a job, showing how it goes, and tells what came of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import TYPE_CHECKING

import typer

from windlass.cli import look, wire
from windlass.cli.bars import Show, bar
from windlass.cli.desk import Desk
from windlass.cli.problems import Code
from windlass.core.errors import WindlassError
from windlass.core.job import JobId, State

if TYPE_CHECKING:
    from windlass.app import Job
    from windlass.wiring import Windlass

# As often as a handler's progress is kept.
EVERY = 0.5


async def follow(desk: Desk, job_id: JobId, timeout: timedelta | None) -> None:
    """Print the result of the job; leave with an exit code if there is none."""
    with bar(desk.err, "waiting") as show:
        async with _showing(desk.app, job_id, show):
            job = await desk.app.wait(job_id, timeout)
    if desk.json or job.result is not None:
        desk.answer(wire.job(job), look.text(json.dumps(job.result, indent=2, ensure_ascii=False)))
    if job.state is not State.COMPLETED:
        desk.say(_sad(job), style="red")
        raise typer.Exit(Code.REFUSED)


def _sad(job: Job) -> str:
    what = f"failed: {job.error}" if job.state is State.FAILED else "was cancelled"
    return f"job {job.id} {what}\n  try: windlass job {job.id}"


@asynccontextmanager
async def _showing(app: Windlass, job_id: JobId, show: Show) -> AsyncIterator[None]:
    shower = asyncio.create_task(_show(app, job_id, show))
    try:
        yield
    finally:
        shower.cancel()
        # A picture that cannot be drawn is no reason to stop waiting.
        with suppress(asyncio.CancelledError, WindlassError):
            await shower


async def _show(app: Windlass, job_id: JobId, show: Show) -> None:
    while True:
        job, progress = await app.get(job_id), await app.progress(job_id)
        if job.state is State.RUNNING and progress is not None:
            show(progress.fraction, progress.message)
        else:
            show(None, (await app.explain(job_id)).sentences[0])
        await asyncio.sleep(EVERY)
