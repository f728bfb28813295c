"""What happened in a world, in words and in order."""

from __future__ import annotations

import hashlib
from typing import Any

from tests.simulation.audit import SAID, Commit

# Of a failing world the end is told.
LAST = 120


class Story:
    """Takes everything down, and finds the words when somebody asks."""

    def __init__(self) -> None:
        self._events: list[tuple[float, str, Any]] = []

    def tell(self, now: float, who: str, what: str) -> None:
        """Something happened."""
        self._events.append((now, who, what))

    def noted(self, now: float, who: str, event: object) -> None:
        """The shipped code told of something."""
        self._events.append((now, who, event))

    def committed(self, now: float, commit: Commit) -> None:
        """Something was committed."""
        self._events.append((now, commit.process, commit))

    def words(self, last: int | None = LAST) -> str:
        """The last events."""
        events = self._events if last is None else self._events[-last:]
        return "\n".join(f"{now:9.3f}  {who:<12} {_words(what)}" for now, who, what in events)

    def digest(self) -> str:
        """What is the same for the same story."""
        return hashlib.sha256(self.words(None).encode()).hexdigest()


def _words(what: Any) -> str:
    if not isinstance(what, Commit):
        return str(what)
    said = [row[1] for row in what.rows if row[0] == SAID]
    rows = [" ".join(map(str, row)) for row in what.rows if row[0] != SAID]
    return f"commits {', '.join(said)}" + "".join(f"\n{'':25}{row}" for row in rows)
