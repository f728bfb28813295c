"""One store after the other: a test that asks for `yard` runs on both databases."""

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
import redis as client

from tests.services import Postgres
from tests.store.shelves import Shelved
from tests.store.yard import OwnClock, PostgresClock, Yard
from windlass.clock import SystemChance
from windlass.store import migrate
from windlass.store.base import Database
from windlass.store.migrate_sqlite import SqliteMigrator
from windlass.store.postgres import PostgresDatabase
from windlass.store.sql_store import SqlStore
from windlass.store.sqlite import SqliteDatabase


@pytest.fixture(params=["sqlite", "postgres"])
def dialect(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def shared_postgres_url(postgres: Postgres, postgres_template: str) -> Iterator[str]:
    """One database for all tests of a process, emptied before each by its clock."""
    url = postgres.create_database(template=postgres_template)
    yield url
    postgres.drop_database(url)


@pytest.fixture
def clock(dialect: str, request: pytest.FixtureRequest) -> Iterator[OwnClock]:
    if dialect == "sqlite":
        yield OwnClock()
        return
    clock = PostgresClock(request.getfixturevalue("shared_postgres_url"))
    yield clock
    clock.close()


@pytest.fixture
async def database(
    dialect: str, clock: OwnClock, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[Database]:
    database: SqliteDatabase | PostgresDatabase
    if dialect == "sqlite":
        database = SqliteDatabase(tmp_path / "windlass.db", clock=clock, chance=SystemChance())
        await migrate.up(SqliteMigrator(database))
    else:
        database = PostgresDatabase(request.getfixturevalue("shared_postgres_url"))
    yield database
    await database.close()


@pytest.fixture
def store(database: Database, clock: OwnClock) -> SqlStore:
    return SqlStore(database, clock)


@pytest.fixture
def yard(store: SqlStore, clock: OwnClock) -> Yard:
    return Yard(store, clock)


@pytest.fixture
async def opened(
    database: Database, clock: OwnClock, redis_url: str
) -> AsyncIterator[Callable[[], Shelved]]:
    """Makes stores on one database, each as if in a process of its own."""
    stores: list[Shelved] = []

    def make() -> Shelved:
        stores.append(Shelved(database, clock, redis_url))
        return stores[-1]

    yield make
    for store in stores:
        await store.close()


@pytest.fixture
def redis(redis_url: str) -> Iterator[client.Redis]:
    with client.Redis.from_url(redis_url) as connection:
        yield connection
