"""`windlass queues`, `pause` and `resume`: the lines that jobs stand in, and their switches."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from windlass.cli import look
from windlass.cli.arguments import QueueArgument
from windlass.cli.desk import Desk
from windlass.cli.words import ago, myself

if TYPE_CHECKING:
    from windlass.store.records import QueueRecord


async def queues(desk: Desk) -> None:
    """List the queues in which jobs wait, and those that are paused.

    Example: windlass queues
    """
    found = await desk.app.queues()
    rows = [_row(queue, desk.now) for queue in found]
    desk.answer(found, look.table(("queue", "waiting>", "switch~"), rows) if rows else "no queues")
    if not found:
        desk.suggest("no job waits and no queue is paused; what there is: windlass stats")


async def pause(desk: Desk, queue: QueueArgument) -> None:
    """Let no job of a queue start from now on; those that run go on.

    Example: windlass pause mail
    """
    by = myself()
    await desk.app.pause(queue, by=by)
    desk.answer({"queue": queue, "paused": True, "by": by}, look.text(f"queue {queue} is paused"))
    desk.suggest(f"let it go on: windlass resume {queue}")


async def resume(desk: Desk, queue: QueueArgument) -> None:
    """Let the jobs of a paused queue start again.

    Example: windlass resume mail
    """
    await desk.app.resume(queue)
    desk.answer({"queue": queue, "paused": False}, look.text(f"queue {queue} goes on"))


def _row(queue: QueueRecord, now: datetime) -> Sequence[RenderableType]:
    paused = f"paused {ago(queue.paused_at, now)} by {queue.paused_by}"
    switch = look.text(paused, "yellow") if queue.paused_at else Text("open", "green")
    return queue.name, f"{queue.depth:,}", switch
