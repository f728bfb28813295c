"""The stream of committed changes: what the model is fed with, taken by triggers in the database.

A trigger sees every row that changes, whatever statement changed it. What is rolled back is taken
out of the stream again, so that it holds exactly what was committed, in order.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

Row: TypeAlias = tuple[Any, ...]

_execute = sqlite3.Connection.execute

JOB = (
    "id, state, lane, fence, worker, attempts, failures, crashes, run_at, cancel_asked_at, threads"
)
DONE = "id, state, reason, fence, worker, attempts, failures, crashes, result"
# What is watched in which table; of some tables only what is inserted.
WATCHED = {
    "windlass_jobs": (JOB, "insert update delete"),
    "windlass_newcomers": ("id, created_at, threads", "insert delete"),
    "windlass_history": (DONE, "insert update delete"),
    "windlass_attempts": ("job, fence, reason, worker", "insert"),
    "windlass_lines": ("job, fence", "insert"),
    "windlass_progress": ("job, fence", "insert"),
    "windlass_files": ("job, name", "insert update"),
    "windlass_keys": ("key, job, expires_at", "insert update delete"),
    "windlass_nodes": ("id, lease_until", "insert update delete"),
    "windlass_workers": ("id, node, threads, alone, ended_at", "insert update delete"),
    "windlass_standby": ("worker, number", "insert update delete"),
    "windlass_queues": ("name", "insert delete"),
    "windlass_locks": ("name, token, until", "insert update delete"),
    "simulated_effects": ("job, fence", "insert"),
}
EFFECTS = "create table simulated_effects (job text not null, fence integer not null)"
SAID = "said"


class Commit(NamedTuple):
    """One transaction: who sent it, when it was committed, and row by row what it did.

    A row is (table, change, new values …) or (SAID, statement, what it presented).
    """

    process: str
    now_us: int
    rows: Sequence[Row]


def triggers() -> list[str]:
    """The triggers that report changes, by calling `audit`."""
    return [
        _trigger(table, columns.split(", "), change)
        for table, (columns, changes) in WATCHED.items()
        for change in changes.split()
    ]


def _trigger(table: str, columns: Sequence[str], change: str) -> str:
    side = "old" if change == "delete" else "new"
    values = ", ".join(f"{side}.{column}" for column in columns)
    return (
        f"create trigger audit_{table}_{change} after {change} on {table}"
        f" begin select audit('{table}', '{change}', {values}); end"
    )


class AuditedConnection(sqlite3.Connection):
    """A connection that knows which changes were undone before they were committed."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.rows: list[Row] = []
        self._mark = 0
        self.create_function("audit", -1, self._changed)

    def _changed(self, *row: Any) -> None:
        self.rows.append(row)

    def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:
        """Execute; ends of transactions are noticed here."""
        cursor = _execute(self, sql, *args)
        if sql in _NOTICED:
            _NOTICED[sql](self)
        return cursor

    def begun(self) -> None:
        """A transaction has begun."""
        self.rows.clear()

    def marked(self) -> None:
        """A command has begun within it."""
        self.rows.append((SAID, "", None))
        self._mark = len(self.rows)

    def undone(self) -> None:
        """The command was undone."""
        del self.rows[self._mark :]

    def taken(self) -> list[Row]:
        """What was committed last; nothing if it changed nothing that is watched."""
        rows, self.rows = self.rows, []
        return rows if any(row[0] is not SAID for row in rows) else []


_NOTICED: dict[str, Callable[[AuditedConnection], None]] = {
    "begin immediate": AuditedConnection.begun,
    "savepoint command": AuditedConnection.marked,
    "rollback to command": AuditedConnection.undone,
    "rollback": AuditedConnection.begun,
}
