"""The event loop of a process of ours: the fast one where there is one."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run the work to its end on a loop of its own."""
    try:
        import uvloop  # noqa: PLC0415 — not everywhere, and slow to import
    except ImportError:
        return asyncio.run(work)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)
