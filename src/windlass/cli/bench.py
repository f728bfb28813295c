"""`windlass bench`: measure how fast this store is, and leave nothing behind."""

from __future__ import annotations

import asyncio
import signal
from typing import Annotated

import typer
from rich.table import Table

from windlass.cli import look
from windlass.cli.bars import bar
from windlass.cli.desk import Desk
from windlass.cli.measuring.figures import Figures
from windlass.cli.measuring.measure import Measurement
from windlass.cli.measuring.site import throw_away
from windlass.worker.event_loop import run

Jobs = Annotated[int, typer.Option(min=1, max=1_000_000, help="How many jobs to run.")]


def bench(desk: Desk, *, jobs: Jobs = 10_000) -> None:
    """Measure how fast this store is, and leave nothing behind.

    It runs jobs that do nothing, with one worker in this process, on a new and empty store in the
    same place: a file beside the configured one, or a schema in the same database.

    Example: windlass bench --jobs 50000
    """
    try:
        figures = run(_measured(desk, jobs))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    desk.answer(figures, _shown(figures))


async def _measured(desk: Desk, jobs: int) -> Figures:
    # A polite kill cleans up as Ctrl-C does, also where a script has Ctrl-C ignored.
    if (ours := asyncio.current_task()) is not None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ours.cancel)
    async with throw_away(desk.settings) as app:
        with bar(desk.err, "making a store") as show:
            return await Measurement(app, show).run(jobs)


def _shown(figures: Figures) -> Table:
    rows = (
        ("enqueue", f"{figures.enqueued_per_second:,}", "jobs/s"),
        ("drain, one worker", f"{figures.drained_per_second:,}", "jobs/s"),
        ("pick-up, median", f"{figures.pick_up_p50_ms:,.1f}", "ms"),
        ("pick-up, 99 of 100", f"{figures.pick_up_p99_ms:,.1f}", "ms"),
    )
    title = f"{figures.jobs:,} jobs that do nothing, on {figures.store}"
    return look.table((title, "figure>", ""), rows)
