"""The embedded store and its bell for a thread without an event loop: it does its work itself."""

from __future__ import annotations

from windlass.bell.local import LocalBell
from windlass.core.job import NewJob
from windlass.store.sql_store import SqlStore
from windlass.store.sqlite import SqliteDatabase


class EmbeddedHere:
    """Serves such a thread in that thread; see `Here`."""

    def __init__(self, store: SqlStore, database: SqliteDatabase, bell: LocalBell) -> None:
        """Act for the store on its database."""
        self._store = store
        self._write = database.write_here
        self.at_once = database.at_once
        self.ring = bell.ring_here

    def enqueue(self, job: NewJob) -> bool:
        """Keep a plain job by one commit."""
        return self._store.enqueue_by(self._write, job)
