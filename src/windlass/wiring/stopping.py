"""Heeds the signals that ask a process to stop."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from windlass.observe.events import Observer, ShutdownAsked

HEEDED = (signal.SIGTERM, signal.SIGINT)


class Stop:
    """Set once by a first signal, and by a second for those who would wait too long."""

    def __init__(self, observer: Observer) -> None:
        """Nobody asked yet."""
        self.asked = asyncio.Event()
        self.again = asyncio.Event()
        self._observer = observer

    @contextmanager
    def heeding(self) -> Iterator[None]:
        """Take signals for what they ask, while the block runs."""
        loop = asyncio.get_running_loop()
        for number in HEEDED:
            loop.add_signal_handler(number, self._on_signal, number)
        try:
            yield
        finally:
            for number in HEEDED:
                loop.remove_signal_handler(number)

    def _on_signal(self, number: signal.Signals) -> None:
        asked_before = self.asked.is_set()
        self._observer.on(ShutdownAsked(number.name, drain=not asked_before))
        (self.again if asked_before else self.asked).set()
