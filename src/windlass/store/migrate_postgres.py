"""Migrations of PostgreSQL."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Protocol

import asyncpg

from windlass.core.errors import StoreAway
from windlass.store.migrate import LEDGER, Applied, Step
from windlass.store.postgres_errors import AWAY, forbidden, said

if TYPE_CHECKING:
    from windlass.store.postgres_pool import Connection

CREATE_LEDGER = f"""
create table if not exists {LEDGER} (
    number     integer     primary key,
    name       text        not null,
    checksum   text        not null,
    applied_at timestamptz not null default clock_timestamp()
)"""
# Advisory locks are of the whole database; the schema's name keeps two of them apart.
LOCK = "select pg_advisory_xact_lock(hashtextextended('windlass migrate ' || $1, 0))"
LIST = f"select number, name, checksum, applied_at from {LEDGER} order by number"  # noqa: S608
ENTER = f"insert into {LEDGER} (number, name, checksum) values ($1, $2, $3)"  # noqa: S608
STRIKE = f"delete from {LEDGER} where number = $1"  # noqa: S608


class Connections(Protocol):
    """What a migration asks of the database: a connection for a while."""

    def connection(self) -> AbstractAsyncContextManager[Connection]:
        """Borrow one."""
        ...


class PostgresMigrator:
    """Changes the tables of one schema, in transactions that hold an advisory lock."""

    dialect = "postgres"

    def __init__(self, database: Connections, schema: str = "public") -> None:
        """Migrate this schema, which is made if it is not there; `Queries` has checked its name."""
        self._database = database
        self._schema = schema

    async def applied(self) -> list[Applied]:
        """The steps that were applied, in their order; asking changes nothing."""
        async with self._connection() as connection:
            there = await connection.fetchval(
                "select to_regclass($1)", f'"{self._schema}".{LEDGER}'
            )
            if there is None:
                return []
            async with connection.transaction():
                await self._enter_schema(connection)
                return await _applied(connection)

    async def apply(self, step: Step) -> None:
        """Apply a step and write it down, unless another process just did."""
        async with self._alone() as connection:
            if all(one.number != step.number for one in await _applied(connection)):
                await connection.execute(step.up)
                await connection.execute(ENTER, step.number, step.name, step.checksum)

    async def revert(self, step: Step) -> None:
        """Undo a step and strike it out, unless another process just did."""
        async with self._alone() as connection:
            if any(one.number == step.number for one in await _applied(connection)):
                await connection.execute(step.down)
                await connection.execute(STRIKE, step.number)

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[Connection]:
        async with self._connection() as connection, connection.transaction():
            await connection.execute(LOCK, self._schema)
            await self._make_schema(connection)
            await self._enter_schema(connection)
            await connection.execute(CREATE_LEDGER)
            yield connection

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Connection]:
        try:
            async with self._database.connection() as connection:
                yield connection
        except AWAY as problem:
            raise StoreAway(f"lost PostgreSQL: {said(problem)}", ambiguous=True) from problem
        except asyncpg.InsufficientPrivilegeError as problem:
            raise forbidden(problem) from problem

    async def _make_schema(self, connection: Connection) -> None:
        # Asked first: to make it even if it is there takes a right that many roles have not.
        quoted = f'"{self._schema}"'
        if await connection.fetchval("select to_regnamespace($1)", quoted) is None:
            await connection.execute(f"create schema if not exists {quoted}")

    async def _enter_schema(self, connection: Connection) -> None:
        await connection.execute(f'set local search_path to "{self._schema}"')


async def _applied(connection: Connection) -> list[Applied]:
    return [Applied(*row) for row in await connection.fetch(LIST)]
