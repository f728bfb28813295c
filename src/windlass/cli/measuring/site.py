"""A store to measure on: as the configured one and in the same place, but new, empty and ours."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec.structs import replace

from windlass.cli.server import connected
from windlass.clock import SystemChance
from windlass.config import Settings
from windlass.core.address import parse_store_url
from windlass.wiring import Windlass, migrate

PREFIX = "windlass_bench_"


@asynccontextmanager
async def throw_away(settings: Settings) -> AsyncIterator[Windlass]:
    """An app on such a store; when the block ends, nothing is left of it."""
    address = parse_store_url(settings.store)
    ours = replace(settings, queues=None)  # our jobs are in none that anybody named
    place = _schema(ours) if address.dialect == "postgres" else _file(ours, address.place)
    async with place as there, Windlass(settings=there) as app:
        yield app


@asynccontextmanager
async def _schema(settings: Settings) -> AsyncIterator[Settings]:
    schema = PREFIX + SystemChance().token().replace("-", "")
    async with connected(settings.store) as connection:
        try:
            await migrate(settings.store, schema)
            yield replace(settings, schema=schema)
        finally:
            await connection.execute(f'drop schema if exists "{schema}" cascade')


@asynccontextmanager
async def _file(settings: Settings, configured: str) -> AsyncIterator[Settings]:
    """On the same disk: an fsync costs what it costs there."""
    beside = Path(configured).parent
    with tempfile.TemporaryDirectory(
        prefix=PREFIX, dir=beside if beside.is_dir() else Path.cwd()
    ) as folder:
        yield replace(settings, store=f"sqlite:///{folder}/bench.db")
