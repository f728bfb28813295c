"""Fresh stores for a side: a database, a Redis, a file; each is removed afterwards."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from benchmarks import processes
from benchmarks.peers.header import Store
from tests.services import PostgresServer
from tests.services.redis import RedisServer


@dataclass(frozen=True, slots=True)
class Place:
    """Where a side keeps its jobs, and which servers work for it."""

    store: str  # a URL, or the path of a file
    redis: str  # a URL, or nothing
    servers: tuple[int, ...]

    def settle_down(self) -> None:
        """Do now what the store would else do at some moment of the measure."""
        if self.store.startswith("postgresql://"):
            with psycopg.connect(self.store, autocommit=True) as database:
                database.execute("vacuum (analyze)")
                database.execute("checkpoint")
        elif Path(self.store).is_file():
            file = sqlite3.connect(self.store, timeout=10, isolation_level=None)
            file.execute("pragma wal_checkpoint(truncate)")
            file.close()

    def cpu(self) -> float:
        """Seconds that its servers have worked so far."""
        return sum(processes.cpu(pid) for pid in self.servers)


@contextmanager
def place(store: Store, postgres: PostgresServer, folder: Path) -> Iterator[Place]:
    """Empty stores of this kind."""
    with ExitStack() as stack:
        redis = stack.enter_context(RedisServer()) if "redis" in store else None
        url, servers = "", []
        if redis is not None:
            url, servers = redis.url, [redis.pid]
        if store == "sqlite":
            yield Place(str(folder / "store.db"), "", ())
        elif store == "redis":
            yield Place(url, url, tuple(servers))
        else:
            database = postgres.create_database()
            stack.callback(postgres.drop_database, database)
            yield Place(database, url, (postgres.pid, *servers))
