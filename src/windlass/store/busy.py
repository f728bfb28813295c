"""How to share a database file with others who write: wait for them, and let them in."""

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
# Who had the file for so long leaves it alone until everybody who waits has knocked.
LONG, REST = 0.25, LONGEST + SHORTEST


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


class Courtesy:
    """Leaves the file to others for a moment after having had it for long.

    Who waits knocks every few milliseconds, and would hardly ever find it free: a busy writer takes
    it again in a tenth of one. Beside blocks of 0.3 s others waited for longer than they may.
    """

    def __init__(self, clock: Clock) -> None:
        """Measure with `clock`."""
        self._clock = clock
        self._had = 0.0  # seconds since the last rest
        self._taken = 0.0
        self._left = 0.0

    def rest(self) -> None:
        """Let others in, if it is time to; nothing is lost if the file was left alone anyway."""
        if self._had < LONG:
            return
        self._had = 0.0
        time.sleep(max(self._left + REST - self._clock.monotonic(), 0.0))

    def __enter__(self) -> None:
        """The file is taken."""
        self._taken = self._clock.monotonic()

    def __exit__(self, *_: object) -> None:
        """It is left."""
        self._left = self._clock.monotonic()
        self._had += self._left - self._taken
