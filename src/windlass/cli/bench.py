"""`windlass bench`: measure how fast this store is, and leave nothing behind."""

from __future__ import annotations

from windlass.cli.desk import Desk


async def bench(desk: Desk) -> None:
    """Measure how fast this store is, and leave nothing behind.

    Example: windlass bench --json
    """
