"""How to wait for a database file that another process is writing."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from typing import TypeVar

from windlass.clock import Chance, Clock
from windlass.core.errors import Busy
from windlass.store.sqlite_errors import BUSY, code

T = TypeVar("T")

# SQLite's own busy handler sleeps up to 100 ms at a time, and gives up at once on a stale snapshot.
SHORTEST, LONGEST = 0.001, 0.005
AT_MOST = 5.0


class Patience:
    """Tries again while the file is locked: every 1 to 5 ms, for up to 5 s."""

    def __init__(self, clock: Clock, chance: Chance, at_most: float = AT_MOST) -> None:
        """Measure with `clock`; `chance` keeps two waiters from knocking at the same time."""
        self._clock = clock
        self._chance = chance
        self._at_most = at_most

    def wait(self, attempt: Callable[[], T]) -> T:
        """Answer what `attempt` answers once the file is free; raise `Busy` if it never is."""
        deadline: float | None = None
        while True:
            try:
                return attempt()
            except sqlite3.OperationalError as problem:
                if code(problem) not in BUSY:
                    raise
                now = self._clock.monotonic()
                deadline = now + self._at_most if deadline is None else deadline
                if now >= deadline:
                    raise Busy(
                        f"another process held the database for more than {self._at_most:g} s"
                    ) from problem
            time.sleep(SHORTEST + (LONGEST - SHORTEST) * self._chance.random())
