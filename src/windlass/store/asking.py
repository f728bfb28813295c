"""Asks a database by the names of statements: what every part of the store begins with."""

from __future__ import annotations

from typing import Any

from windlass.store.base import Database
from windlass.store.script import Rows, Statement


class Asking:
    """Whoever speaks to the database."""

    database: Database

    async def _read(self, name: str, /, **args: Any) -> Rows:
        return await self.database.read(Statement(name, args))

    async def _write(self, name: str, /, **args: Any) -> Rows:
        return await self.database.write(Statement(name, args))
