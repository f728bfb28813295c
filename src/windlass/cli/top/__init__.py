"""`windlass top`: the whole fleet in a terminal, as it changes."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Annotated

import typer

from windlass.cli.desk import Desk
from windlass.core.errors import BadInput


async def top(
    desk: Desk,
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="Which jobs to list, as for `windlass jobs`.")
    ] = "",
    *,
    every: Annotated[float, typer.Option(min=0.2, help="Look again after so many seconds.")] = 1.0,
) -> None:
    """Watch queues, workers and jobs as they change, and act on them.

    Keys are shown at the bottom. It asks the store as little as the dashboard does, however many
    jobs there are.

    Example: windlass top

    Example: windlass top 'status:failed queue:mail'
    """
    _refuse(desk)
    from windlass.cli.top.screen import Top  # noqa: PLC0415 - slow, and --help needs none

    await Top(desk.app, query=query, every=every).run_async()


def _refuse(desk: Desk) -> None:
    """Say what is missing before the screen is taken."""
    if desk.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise BadInput(
            "top draws on a terminal; for a program: windlass stats --json,"
            " queues --json, workers --json, incidents --json"
        )
    if find_spec("textual") is None:
        raise BadInput("top needs textual: pip install 'windlass[tui]'")
