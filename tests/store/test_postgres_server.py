"""Which PostgreSQL servers are refused, and what is said of one that cannot be reached."""

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg
import pytest

from tests.services import PostgresServer
from windlass.config import load
from windlass.core.errors import BadStore, NotMigrated, StoreAway
from windlass.core.search import JobFilter
from windlass.store.postgres import PostgresDatabase
from windlass.store.script import Statement
from windlass.wiring import Storehouse, migrate


def house(url: str, **given: object) -> Storehouse:
    """The storehouse at this address."""
    return Storehouse(load(os.environ, Path.cwd(), {"store": url, **given}))


async def test_a_server_that_would_forget_jobs_in_a_power_cut_is_refused_unless_forced() -> None:
    with PostgresServer({"fsync": "off"}) as server:
        with pytest.raises(BadStore, match=r"fsync=off.*WINDLASS_UNSAFE=1"):
            await house(server.url).store()

        forced = house(server.url, unsafe=True)
        with pytest.raises(NotMigrated, match="windlass migrate up"):
            await forced.store()


async def test_a_server_that_went_away_is_told_as_such_and_found_again_when_it_is_back() -> None:
    with PostgresServer() as server:
        await migrate(server.url)
        store = await house(server.url).store()
        server.stop("immediate")

        with pytest.raises(StoreAway):
            await store.page(JobFilter())
        with pytest.raises(StoreAway, match="cannot reach PostgreSQL"):
            await house(server.url).store()

        server.start()
        assert (await store.page(JobFilter())).jobs == []
        await store.close()


async def test_a_url_to_a_database_that_is_not_there_says_so(postgres_url: str) -> None:
    wrong = postgres_url.rsplit("/", 1)[0] + "/nowhere"

    with pytest.raises(BadStore, match=r'"nowhere" does not exist'):
        await house(wrong).store()


@pytest.fixture
def guest_url(postgres_url: str) -> Iterator[str]:
    """The same database as a role that was granted nothing in it."""
    name = f"guest_{uuid4().hex}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"create role {name} login".encode())
        address = urlsplit(postgres_url)
        yield address._replace(netloc=f"{name}@{address.hostname}:{address.port}").geturl()
        connection.execute(f"drop role {name}".encode())


async def test_a_role_without_rights_is_told_which_it_lacks(guest_url: str) -> None:
    database = PostgresDatabase(guest_url)

    for refused in (
        database.read(Statement("fleet_nodes")),
        migrate(guest_url),
        migrate(guest_url, schema="mine"),
    ):
        with pytest.raises(BadStore, match=r"permission denied for .* grant it the right"):
            await refused

    await database.close()
