"""Help for the tests of programs that use Windlass: a store in memory, a clock of one's own.

pytest finds the fixtures `windlass_app` and `app_clock` by itself. It loads this package with every
test run, so the names below are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windlass.testing.asserting import assert_enqueued, enqueued
    from windlass.testing.binding import bound, in_memory
    from windlass.testing.draining import drain, drain_blocking
    from windlass.testing.own_clock import OwnClock

__all__ = [
    "OwnClock",
    "assert_enqueued",
    "bound",
    "drain",
    "drain_blocking",
    "enqueued",
    "in_memory",
]

_HOMES = {
    "OwnClock": "own_clock",
    "assert_enqueued": "asserting",
    "bound": "binding",
    "drain": "draining",
    "drain_blocking": "draining",
    "enqueued": "asserting",
    "in_memory": "binding",
}

if not TYPE_CHECKING:  # a type checker shall know a wrong name from a right one

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module 'windlass.testing' has no attribute {name!r}")
        return getattr(import_module(f"windlass.testing.{_HOMES[name]}"), name)
