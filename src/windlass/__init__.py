"""Windlass: a distributed job scheduler that never loses a job.

Names are imported when they are first used, so that `import windlass` costs nothing by itself.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windlass.app import Job, JobType
    from windlass.core.backoff import Backoff
    from windlass.core.errors import WindlassError
    from windlass.core.job import NewJob, State
    from windlass.executors.base import Cancel, Discard, Retry, Snooze
    from windlass.executors.context import Context
    from windlass.store.records import Enqueued
    from windlass.wiring import Windlass

__version__: str

__all__ = [
    "Backoff",
    "Cancel",
    "Context",
    "Discard",
    "Enqueued",
    "Job",
    "JobType",
    "NewJob",
    "Retry",
    "Snooze",
    "State",
    "Windlass",
    "WindlassError",
]

_HOMES = {
    "Backoff": "windlass.core.backoff",
    "Cancel": "windlass.executors.base",
    "Context": "windlass.executors.context",
    "Discard": "windlass.executors.base",
    "Enqueued": "windlass.store.records",
    "Job": "windlass.app",
    "JobType": "windlass.app",
    "NewJob": "windlass.core.job",
    "Retry": "windlass.executors.base",
    "Snooze": "windlass.executors.base",
    "State": "windlass.core.job",
    "Windlass": "windlass.wiring",
    "WindlassError": "windlass.core.errors",
}


if not TYPE_CHECKING:  # a type checker shall know a wrong name from a right one

    def __getattr__(name: str) -> object:
        if name == "__version__":
            return import_module("importlib.metadata").version("windlass")
        if name not in _HOMES:
            raise AttributeError(f"module 'windlass' has no attribute {name!r}")
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__, "__version__"})
