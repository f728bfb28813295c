"""`windlass aging`: how much waiting is worth one point of priority."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import typer

from windlass.cli import look
from windlass.cli.bars import bar
from windlass.cli.desk import Desk
from windlass.cli.words import span
from windlass.core.job import LIVE
from windlass.core.rank import STRICT_AGING


async def aging(
    desk: Desk,
    value: Annotated[
        str | None,
        typer.Argument(metavar="TIME", help="As 60s or 5m, or strict: priority alone decides."),
    ] = None,
) -> None:
    """Show or change how much waiting is worth one point of priority.

    A change re-ranks the jobs that wait, a few thousand at a time.

    Example: windlass aging 60s

    Example: windlass aging strict
    """
    if value is not None:
        counts = await desk.app.stats()
        live = max(sum(counts[state] for state in LIVE), 1)
        with bar(desk.err, "re-ranking the jobs that wait") as show:
            await desk.app.set_aging(value, told=lambda looked: show(min(looked / live, 1.0)))
    found = await desk.app.aging()
    strict = found >= STRICT_AGING
    desk.answer({"aging": None if strict else found, "strict": strict}, look.text(_told(found)))


def _told(aging: timedelta) -> str:
    if aging >= STRICT_AGING:
        return "strict: a job of higher priority always goes first"
    return f"{span(aging)} of waiting are worth one point of priority"
