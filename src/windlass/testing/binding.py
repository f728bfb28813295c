"""Apps that keep their jobs in memory, made for a test or borrowed for its time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from windlass.clock import Clock
from windlass.testing.aside import aside
from windlass.wiring import Windlass

MEMORY = "sqlite://:memory:"


@contextmanager
def in_memory(clock: Clock) -> Iterator[Windlass]:
    """An app without jobs, whose store lasts as long as the block."""
    app = Windlass(MEMORY, clock=clock)
    try:
        yield app
    finally:
        app.blocking.close()
        aside(app.storehouse.close)


@contextmanager
def bound(app: Windlass, clock: Clock) -> Iterator[Windlass]:
    """The same app, its declared jobs too, with a store in memory for the time of the block."""
    before = dict(vars(app))
    with in_memory(clock) as twin:
        vars(app).update({name: value for name, value in vars(twin).items() if name != "registry"})
        try:
            yield app
        finally:
            vars(app).update(before)
