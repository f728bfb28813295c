"""`windlass retry`, `run` and `cancel`: the same for one job or for many."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

import typer

from windlass.cli import look
from windlass.cli.arguments import JobArguments
from windlass.cli.desk import Desk
from windlass.cli.problems import Code, complain
from windlass.core.errors import UnknownJob, WrongState

if TYPE_CHECKING:
    from windlass.app import Job


async def retry(desk: Desk, job_ids: JobArguments) -> None:
    """Put failed or cancelled jobs back in line.

    Example: windlass retry 01980e5c-7a2b-7cc3-9d1e-3f5a6b7c8d9e
    """
    await _each(desk, job_ids, desk.app.retry)


async def run(desk: Desk, job_ids: JobArguments) -> None:
    """Run jobs now that are for later, or that wait for their retry.

    Example: windlass run 01980e5c-7a2b-7cc3-9d1e-3f5a6b7c8d9e
    """
    await _each(desk, job_ids, desk.app.run_now)


async def cancel(desk: Desk, job_ids: JobArguments) -> None:
    """Cancel waiting jobs at once, and ask running ones to stop.

    Example: windlass cancel 01980e5c-7a2b-7cc3-9d1e-3f5a6b7c8d9e
    """
    await _each(desk, job_ids, desk.app.cancel)


async def _each(desk: Desk, job_ids: Sequence[str], act: Callable[[str], Awaitable[Job]]) -> None:
    """Do it to each job; one that refuses does not keep the others from it."""
    answers: list[dict[str, Any]] = []
    changed: list[Job] = []
    for job_id in job_ids:
        try:
            job = await act(job_id)
        except (UnknownJob, WrongState) as problem:
            complain(problem)
            answers.append({"id": job_id, "error": str(problem)})
        else:
            changed.append(job)
            asked = job.cancel_requested
            answers.append({"id": job.id, "state": job.state, "cancel_requested": asked})
    rows = [(look.identity(job.id), look.state(job.state), _remark(job)) for job in changed]
    if desk.json or changed:
        desk.answer(answers, look.table(("id", "state", ""), rows))
    if len(changed) < len(job_ids):
        raise typer.Exit(Code.REFUSED)


def _remark(job: Job) -> str:
    asked = job.cancel_requested and not job.state.finished
    return "was asked to stop" if asked else ""
