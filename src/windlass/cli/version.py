"""`windlass version`: which Windlass this is, and on what it runs."""

from __future__ import annotations

import platform

import windlass
from windlass.cli.desk import Desk


async def version(desk: Desk) -> None:
    """Show the version of Windlass and of Python.

    Example: windlass version --json
    """
    found = {"windlass": windlass.__version__, "python": platform.python_version()}
    desk.answer(found, " · ".join(f"{name} {number}" for name, number in found.items()))
