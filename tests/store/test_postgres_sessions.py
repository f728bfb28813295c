"""What becomes of the sessions of clients that vanished or froze."""

import time
from collections.abc import Mapping

import asyncpg
import psycopg
import pytest

from windlass.core.errors import StoreAway
from windlass.store import migrate
from windlass.store.migrate_postgres import PostgresMigrator
from windlass.store.postgres import PostgresDatabase, transaction
from windlass.store.script import Script, Statement


@pytest.mark.parametrize(
    ("for_handlers", "frozen"), [(False, "15s"), (True, "0")], ids=["ours", "of a handler"]
)
async def test_a_machine_that_vanished_is_noticed_within_half_a_minute(
    postgres_url: str, *, for_handlers: bool, frozen: str
) -> None:
    database = PostgresDatabase(postgres_url, for_handlers=for_handlers)

    async with database.connection() as connection:
        idle, interval, count, in_transaction = [
            await connection.fetchval(f"show {name}")
            for name in (
                "tcp_keepalives_idle",
                "tcp_keepalives_interval",
                "tcp_keepalives_count",
                "idle_in_transaction_session_timeout",
            )
        ]
    await database.close()

    assert int(idle) + int(interval) * int(count) <= 30
    assert in_transaction == frozen


async def test_a_process_that_froze_between_two_statements_keeps_no_locks(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    soon: Mapping[str, str] = {"idle_in_transaction_session_timeout": "100ms"}
    monkeypatch.setattr("windlass.store.postgres_pool.FROZEN", soon)
    database = PostgresDatabase(postgres_url)

    def freezing() -> Script[int]:
        yield Statement("fleet_nodes")
        time.sleep(0.5)
        return len((yield Statement("fleet_nodes")))

    with pytest.raises(StoreAway):
        await database.run(freezing())
    assert await database.read(Statement("fleet_nodes")) == []
    await database.close()


async def test_an_answer_is_good_though_the_line_breaks_after_it(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object, **__: object) -> None:
        raise asyncpg.ConnectionDoesNotExistError("connection was closed")

    database = PostgresDatabase(postgres_url, for_handlers=True)
    await database.read(Statement("fleet_nodes"))
    monkeypatch.setattr("asyncpg.connection.Connection.reset", broken)

    assert await database.read(Statement("fleet_nodes")) == []
    async with database.connection() as connection:
        assert await connection.fetchval("select 1") == 1
    await database.close()


async def test_a_line_that_breaks_under_a_look_at_the_migrations_is_an_outage(
    postgres_url: str,
) -> None:
    database = PostgresDatabase(postgres_url)
    await database.read(Statement("fleet_nodes"))
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid()"
        )

    with pytest.raises(StoreAway):
        await migrate.check(PostgresMigrator(database))
    await database.close()


async def test_who_loses_a_line_inside_a_transaction_hears_why(postgres_url: str) -> None:
    database = PostgresDatabase(postgres_url)

    async with database.connection() as connection:
        with pytest.raises(asyncpg.PostgresError) as lost:
            async with transaction(connection):
                await connection.execute("select pg_terminate_backend(pg_backend_pid())")
    await database.close()

    assert "terminating connection" in str(lost.value)
