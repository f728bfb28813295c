"""`windlass job` and `explain`: everything about one job, or only why it is where it is."""

from __future__ import annotations

from windlass.cli import dossier, look
from windlass.cli.arguments import JobArgument
from windlass.cli.desk import Desk
from windlass.core.job import State


async def job(desk: Desk, job_id: JobArgument) -> None:
    """Show everything about a job, and why it is where it is.

    Its times, its attempts with their errors, what it logged, how far it is, and its result.

    Example: windlass job 01980e5c-7a2b-7cc3-9d1e-3f5a6b7c8d9e
    """
    found = await dossier.read(desk.app, job_id)
    desk.answer(found.wired(), found.shown(desk.now))
    if step := NEXT_STEPS.get(found.job.state):
        desk.suggest(step.format(id=found.job.id))


async def explain(desk: Desk, job_id: JobArgument) -> None:
    """Say why a job is where it is, and how long it may wait yet.

    Example: windlass explain 01980e5c-7a2b-7cc3-9d1e-3f5a6b7c8d9e
    """
    found = await desk.app.explain(job_id)
    desk.answer(found, look.text("\n".join(found.sentences)))
    desk.suggest(f"all about it: windlass job {job_id}")


NEXT_STEPS = {
    State.SCHEDULED: "run it now: windlass run {id}",
    State.PENDING: "who could take it: windlass workers",
    State.RUNNING: "ask it to stop: windlass cancel {id}",
    State.FAILED: "run it again: windlass retry {id}",
    State.CANCELLED: "run it after all: windlass retry {id}",
}
