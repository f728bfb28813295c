"""The embedded store and its bell for a thread without an event loop: it does its work itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from windlass.bell.local import LocalBell
from windlass.core.job import NewJob
from windlass.store.sql_store import SqlStore
from windlass.store.sqlite import SqliteDatabase


class EmbeddedHere:
    """Serves such a thread in that thread; see `Here`."""

    def __init__(self, store: SqlStore, database: SqliteDatabase, bell: LocalBell) -> None:
        """Act for the store on its database."""
        self.at_once = database.at_once
        self.enqueue: Callable[[NewJob], bool] = partial(store.enqueue_by, database.keep_here)
        self.ring = bell.ring_here
