"""Migrations of the embedded database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Protocol

from windlass.store.migrate import LEDGER, Applied, Step
from windlass.store.rows import instant
from windlass.store.sqlite_commands import Work
from windlass.store.sqlite_session import Session

CREATE_LEDGER = f"""
create table if not exists {LEDGER} (
    number     integer primary key,
    name       text    not null,
    checksum   text    not null,
    applied_at integer not null
)"""
HAS_LEDGER = f"select 1 from sqlite_master where type = 'table' and name = '{LEDGER}'"  # noqa: S608
LIST = f"select number, name, checksum, applied_at from {LEDGER} order by number"  # noqa: S608
ENTER = f"insert into {LEDGER} (number, name, checksum, applied_at) values (?, ?, ?, ?)"  # noqa: S608
STRIKE = f"delete from {LEDGER} where number = ?"  # noqa: S608


class Writes(Protocol):
    """What a migration asks of the database: the one writer, in a transaction."""

    async def perform(self, work: Work[list[Applied]]) -> list[Applied]:
        """Do this work, alone."""
        ...


class SqliteMigrator:
    """Changes the tables of a file; BEGIN IMMEDIATE is the lock."""

    dialect = "sqlite"

    def __init__(self, database: Writes) -> None:
        """Migrate this database."""
        self._database = database

    async def applied(self) -> list[Applied]:
        """The steps that were applied, in their order."""
        return await self._database.perform(_applied)

    async def apply(self, step: Step) -> None:
        """Apply a step and write it down, unless another process just did."""

        def work(session: Session) -> list[Applied]:
            session.connection.execute(CREATE_LEDGER)
            there = _applied(session)
            if all(one.number != step.number for one in there):
                _execute(session.connection, step.up)
                entry = (step.number, step.name, step.checksum, session.now)
                session.connection.execute(ENTER, entry)
            return there

        await self._database.perform(work)

    async def revert(self, step: Step) -> None:
        """Undo a step and strike it out, unless another process just did."""

        def work(session: Session) -> list[Applied]:
            there = _applied(session)
            if any(one.number == step.number for one in there):
                _execute(session.connection, step.down)
                session.connection.execute(STRIKE, (step.number,))
            return there

        await self._database.perform(work)


def _applied(session: Session) -> list[Applied]:
    if not session.connection.execute(HAS_LEDGER).fetchall():
        return []
    rows = session.connection.execute(LIST).fetchall()
    return [Applied(number, name, checksum, instant(at)) for number, name, checksum, at in rows]


def _execute(connection: sqlite3.Connection, text: str) -> None:
    """Run statements one by one; `executescript` would commit first."""
    for statement in _statements(text):
        connection.execute(statement)


def _statements(text: str) -> Iterator[str]:
    """The statements of a file; each ends where a line does."""
    lines: list[str] = []
    for line in text.splitlines():
        lines.append(line)
        if sqlite3.complete_statement("\n".join(lines)):
            yield "\n".join(lines)
            lines.clear()
