"""Which event loop runs in this thread, if any."""

from __future__ import annotations

import asyncio


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The event loop to keep free; none in a thread that may wait for itself."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
