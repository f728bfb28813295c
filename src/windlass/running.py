"""Which event loop runs in this thread, if any."""

from __future__ import annotations

import asyncio
from asyncio import _get_running_loop


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The event loop to keep free; none in a thread that may wait for itself."""
    # What get_running_loop asks first; each enqueue of a plain caller asks five times, and an error
    # each time would cost more than what is asked.
    return _get_running_loop()
