"""Opens whatever lives at a store's address: the store itself, its bell, its handlers' effects.

Drivers are imported when they are needed: who works on SQLite never loads the one for PostgreSQL.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from windlass.bell.hail import Hail, Silence
from windlass.bell.tokens import NoTokens, Tokens
from windlass.clock import Chance, Clock, SystemChance, SystemClock
from windlass.config import PROGRAM, Settings, load
from windlass.core.address import MEMORY, parse_store_url
from windlass.core.errors import BadInput
from windlass.core.redis_url import parse_redis_url
from windlass.observe.events import Advised, Observer, Observers
from windlass.store import migrate as migrations
from windlass.store.queries import shipped
from windlass.store.sql_store import SqlStore

if TYPE_CHECKING:
    import asyncpg

    from windlass.app.ports import Here
    from windlass.bell.base import Bell
    from windlass.redis.link import Link
    from windlass.store.base import Database, Effects
    from windlass.store.locks import NodeLocks
    from windlass.store.postgres import PostgresDatabase
    from windlass.store.sqlite import SqliteDatabase
    from windlass.store.wills import Wills

# Connections that the handlers of one worker may have open at once in ctx.transaction().
HANDLER_CONNECTIONS = 10
BELL_TIMEOUT = 5.0
# What is imported late for a store of each dialect.
PARTS = {
    "postgres": (
        "windlass.bell.postgres",
        "windlass.store.locks",
        "windlass.store.migrate_postgres",
        "windlass.store.postgres_effects",
        "windlass.store.wills",
    ),
    "sqlite": (
        "windlass.bell.local",
        "windlass.store.locks",
        "windlass.store.migrate_sqlite",
        "windlass.store.sqlite_effects",
        "windlass.store.wills",
    ),
}


class Storehouse:
    """One address, and everything that can be opened there."""

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Clock | None = None,
        chance: Chance | None = None,
        observer: Observer | None = None,
    ) -> None:
        """Open nothing yet."""
        self.settings = settings
        self.clock = clock or SystemClock()
        self.chance = chance or SystemChance()
        self.observer = observer or Observers()
        self.address = parse_store_url(settings.store)
        self.keyspace: str | None = None  # begins our keys in Redis; known once a store was opened
        self._links: WeakKeyDictionary[asyncio.AbstractEventLoop, Link] = WeakKeyDictionary()

    def prepare(self) -> None:
        """Import and read what a store takes: for who else would only wait for something."""
        for module in PARTS[self.address.dialect]:
            import_module(module)
        if self.address.dialect == "sqlite":
            shipped("sqlite")
        else:
            shipped("postgres", self.settings.schema)

    async def store(self, *, connections: int = 4) -> SqlStore:
        """A store whose tables are of this program's version; an embedded one is brought to it."""
        database = self._database(connections)
        migrator = self._migrator(database)
        fit = migrations.up if self.address.dialect == "sqlite" else migrations.check
        store = SqlStore(database, self.clock)
        try:
            await fit(migrator)
            if self.settings.redis is not None and self.keyspace is None:
                self.keyspace = _keyspace(await store.identity())
            return self._cached(store)
        except BaseException:
            await database.close()
            raise

    def here(self, store: SqlStore, bell: Bell) -> Here | None:
        """The same store and bell, if they can serve a thread without an event loop."""
        if self.address.dialect != "sqlite" or self.keyspace is not None:
            return None
        from windlass.bell.local import LocalBell  # noqa: PLC0415
        from windlass.store.sqlite import SqliteDatabase  # noqa: PLC0415
        from windlass.wiring.here import EmbeddedHere  # noqa: PLC0415

        assert isinstance(store.database, SqliteDatabase)  # noqa: S101 — as opened above
        assert isinstance(bell, LocalBell)  # noqa: S101 — as made above
        return EmbeddedHere(store, store.database, bell)

    def migrator(self) -> tuple[migrations.Migrator, Database]:
        """What changes the tables, and the database to close afterwards."""
        database = self._database(1)
        return self._migrator(database), database

    def link(self) -> Link | None:
        """The running loop's link to Redis, if one is set; whoever takes it closes it.

        There is none before a store was opened: nobody knows our keys yet.
        """
        if self.keyspace is None or self.settings.redis is None or not self._knows_redis():
            return None
        from windlass.redis.link import Link  # noqa: PLC0415

        loop = asyncio.get_running_loop()
        link = self._links.get(loop)
        if link is None or link.closed:
            place = parse_redis_url(self.settings.redis)
            link = Link(place, chance=self.chance, observer=self.observer)
            self._links[loop] = link
        return link.hold()

    def bell(self) -> Bell:
        """The bell that goes with the store, behind that of Redis if there is one."""
        own = self._own_bell()
        link = self.link()
        if link is None or self.keyspace is None:
            return own
        from windlass.bell.redis import RedisBell  # noqa: PLC0415

        return RedisBell(link, own, prefix=self.keyspace, observer=self.observer)

    def tokens(self) -> Tokens:
        """Where the workers of this process wait for jobs, each for itself, if there is Redis."""
        link = self.link()
        if link is None or self.keyspace is None:
            return NoTokens()
        from windlass.bell.redis_tokens import RedisTokens  # noqa: PLC0415

        return RedisTokens(link, self.keyspace, self.chance)

    def hail(self) -> Hail:
        """What the processes at this store call out to each other, if there is Redis."""
        link = self.link()
        if link is None or self.keyspace is None:
            return Silence()
        from windlass.bell.redis_hail import RedisHail  # noqa: PLC0415

        return RedisHail(link, self.keyspace)

    def _cached(self, store: SqlStore) -> SqlStore:
        """The same with a shelf in Redis before it, if there is Redis."""
        link = self.link()
        if link is None or self.keyspace is None:
            return store
        from windlass.store.cached import CachedStore  # noqa: PLC0415
        from windlass.store.shelf import Shelf  # noqa: PLC0415

        shelf = Shelf(link, self.keyspace, self.chance.token(), self.clock)
        return CachedStore(store.database, self.clock, shelf)

    def _knows_redis(self) -> bool:
        if find_spec("hiredis") is not None:
            return True
        source = self.settings.sources.get("redis", PROGRAM)
        problem = f"{source} names a Redis: pip install 'windlass[redis]' to use it"
        if source not in ("REDIS_URL", "REDIS_HOST"):
            raise BadInput(problem)
        # Platforms set it for whoever wants it, and we can do without.
        self.observer.on(Advised(problem))
        return False

    def _own_bell(self) -> Bell:
        if self.address.dialect == "sqlite":
            from windlass.bell.local import LocalBell  # noqa: PLC0415

            folder = None if self.in_memory else Path(f"{self.address.place}.bells")
            return LocalBell(folder, clock=self.clock, chance=self.chance, observer=self.observer)
        from windlass.bell.postgres import PostgresBell  # noqa: PLC0415

        return PostgresBell(
            self._connection, self.settings.schema, chance=self.chance, observer=self.observer
        )

    @property
    def ring_sql(self) -> Callable[[Sequence[str]], str] | None:
        """A statement that rings at the commit of the transaction it stands in, where SQL can."""
        if self.address.dialect == "sqlite":
            return None
        from windlass.bell.postgres import channel_of, notify_statement  # noqa: PLC0415

        return partial(notify_statement, channel_of(self.settings.schema))

    def effects(self, store: SqlStore) -> Effects:
        """Blocks for handlers that commit together with their settlement."""
        effects = self._own_effects(store)
        if type(store) is SqlStore:
            return effects
        from windlass.store.cached import CachedStore  # noqa: PLC0415
        from windlass.store.cached_effects import CachedEffects  # noqa: PLC0415

        return CachedEffects(effects, store.shelf) if isinstance(store, CachedStore) else effects

    def _own_effects(self, store: SqlStore) -> Effects:
        if self.address.dialect == "sqlite":
            from windlass.store.sqlite import SqliteDatabase  # noqa: PLC0415
            from windlass.store.sqlite_effects import SqliteEffects  # noqa: PLC0415

            assert isinstance(store.database, SqliteDatabase)  # noqa: S101 — as opened above
            return SqliteEffects(store.database, self.clock)
        from windlass.store.postgres_effects import PostgresEffects  # noqa: PLC0415

        return PostgresEffects(self._postgres(HANDLER_CONNECTIONS, for_handlers=True), self.clock)

    @property
    def locks(self) -> NodeLocks | None:
        """The locks by which dead nodes of this machine are known, where there can be any."""
        if self.in_memory:
            return None
        from windlass.store.locks import NodeLocks  # noqa: PLC0415
        from windlass.store.own_folder import lock_folder  # noqa: PLC0415

        if self.address.dialect == "sqlite":
            return NodeLocks.beside(Path(self.address.place))
        folder = lock_folder(os.environ, self._fleet)
        return NodeLocks(folder) if folder else None

    @cached_property
    def wills(self) -> Wills | None:
        """What workers of this machine leave behind, where there is memory that outlives them."""
        if self.in_memory:
            return None
        from windlass.store.own_folder import memory_folder  # noqa: PLC0415
        from windlass.store.wills import Wills  # noqa: PLC0415

        folder = memory_folder(os.environ, self._fleet)
        return Wills(folder) if folder else None

    @property
    def _fleet(self) -> str:
        """What its nodes on this machine have in common."""
        if self.address.dialect == "sqlite":
            return str(Path(self.address.place).resolve())
        return f"{self.address.place} {self.settings.schema}"

    @property
    def in_memory(self) -> bool:
        """Whether the store ends with this process, which alone can have it open."""
        return self.address.place == MEMORY

    async def close(self) -> None:
        """Let go of what lasts as long as the storehouse: a database in memory."""
        from windlass.store.sqlite import SqliteDatabase  # noqa: PLC0415

        database = vars(self).pop("_in_memory", None)
        if database is not None:
            await SqliteDatabase.close(database)

    def _database(self, connections: int) -> PostgresDatabase | SqliteDatabase:
        if self.address.dialect == "postgres":
            return self._postgres(connections)
        return self._in_memory if self.in_memory else self._sqlite()

    def _postgres(self, connections: int, *, for_handlers: bool = False) -> PostgresDatabase:
        from windlass.store.postgres import PostgresDatabase  # noqa: PLC0415

        return PostgresDatabase(
            self.address.place,
            schema=self.settings.schema,
            connections=connections,
            pgbouncer=self.settings.pgbouncer,
            unsafe=self.settings.unsafe,
            for_handlers=for_handlers,
        )

    def _sqlite(self) -> SqliteDatabase:
        from windlass.store.sqlite import SqliteDatabase  # noqa: PLC0415

        return SqliteDatabase(self.address.place, clock=self.clock, chance=self.chance)

    @cached_property
    def _in_memory(self) -> SqliteDatabase:
        """One for all who ask here, since another would be another database."""
        from windlass.store.sqlite import SqliteDatabase  # noqa: PLC0415

        class Lasting(SqliteDatabase):
            async def close(self) -> None:
                """Last as long as the storehouse: others may have it open."""

        return Lasting(MEMORY, clock=self.clock, chance=self.chance)

    def _migrator(self, database: PostgresDatabase | SqliteDatabase) -> migrations.Migrator:
        if self.address.dialect == "sqlite":
            from windlass.store.migrate_sqlite import SqliteMigrator  # noqa: PLC0415
            from windlass.store.sqlite import SqliteDatabase  # noqa: PLC0415

            assert isinstance(database, SqliteDatabase)  # noqa: S101 — as opened above
            return SqliteMigrator(database)
        from windlass.store.migrate_postgres import PostgresMigrator  # noqa: PLC0415
        from windlass.store.postgres import PostgresDatabase  # noqa: PLC0415

        assert isinstance(database, PostgresDatabase)  # noqa: S101 — as opened above
        return PostgresMigrator(database, self.settings.schema)

    async def _connection(self) -> asyncpg.Connection[asyncpg.Record]:
        import asyncpg  # noqa: PLC0415

        return await asyncpg.connect(
            self.address.place, timeout=BELL_TIMEOUT, statement_cache_size=0
        )


def _keyspace(identity: str) -> str:
    """What our keys begin with, lest two stores that share a Redis mix theirs up."""
    return f"windlass:{{{hashlib.sha256(identity.encode()).hexdigest()[:16]}}}:"


async def migrate(url: str, schema: str = "public") -> None:
    """Bring the tables at this address to the version of this program."""
    given = {"store": url, "schema": schema}
    house = Storehouse(load(os.environ, Path.cwd(), given))
    migrator, database = house.migrator()
    try:
        await migrations.up(migrator)
    finally:
        await database.close()
