"""A server that vanished without a word: connections seem to be well, and nobody answers."""

import asyncio
import random
import time
from collections.abc import AsyncIterator

import pytest

from tests.faults.slow import SlowLines
from windlass.clock import SystemClock
from windlass.core.errors import StoreAway
from windlass.core.settle import Settlement
from windlass.store.postgres import PostgresDatabase
from windlass.store.postgres_effects import PostgresEffects
from windlass.store.script import Script, Statement

SOON = 0.5  # seconds


@pytest.fixture(autouse=True)
def impatience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for less than usual."""
    for limit in ("COMMAND_TIMEOUT", "HANDLERS_TIMEOUT", "CONNECT_TIMEOUT", "UNDO_WITHIN"):
        monkeypatch.setattr(f"windlass.store.postgres_pool.{limit}", SOON)
    for limit in ("CONNECT_TIMEOUT", "UNDO_WITHIN"):
        monkeypatch.setattr(f"windlass.store.postgres.{limit}", SOON)


@pytest.fixture
async def lines(postgres_url: str) -> AsyncIterator[SlowLines]:
    """Lines at whose end a server can vanish; who calls anew reaches the next one."""
    lines = SlowLines(postgres_url, random.Random(1))
    async with lines.open():
        yield lines


async def test_a_script_gives_up_and_the_next_one_finds_another_server(lines: SlowLines) -> None:
    database = PostgresDatabase(lines.url, connections=1)

    def asking() -> Script[int]:
        yield Statement("fleet_nodes")
        lines.half_open(all_calls=True)
        return len((yield Statement("fleet_nodes")))

    began = time.monotonic()
    with pytest.raises(StoreAway):
        await database.run(asking())
    assert await database.read(Statement("fleet_nodes")) == []
    assert time.monotonic() - began <= 20 * SOON
    await database.close()


async def test_one_wait_is_enough_for_all_connections(lines: SlowLines) -> None:
    database = PostgresDatabase(lines.url, connections=2)
    question = Statement("fleet_nodes")
    await asyncio.gather(database.read(question), database.read(question))

    assert lines.half_open(all_calls=True) == 2
    with pytest.raises(StoreAway):
        await database.read(question)

    for answer in await asyncio.gather(database.read(question), database.read(question)):
        assert list(answer) == []
    await database.close()


async def test_who_gives_up_by_itself_does_not_wait_for_an_answer(lines: SlowLines) -> None:
    database = PostgresDatabase(lines.url, connections=1)

    def asking() -> Script[int]:
        yield Statement("fleet_nodes")
        lines.half_open(all_calls=True)
        return len((yield Statement("fleet_nodes")))

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(SOON / 5):
            await database.run(asking())
    assert await database.read(Statement("fleet_nodes")) == []
    await database.close()


async def test_a_handler_is_not_to_blame(lines: SlowLines) -> None:
    effects = PostgresEffects(
        PostgresDatabase(lines.url, connections=1, for_handlers=True), SystemClock()
    )

    async def asking() -> None:
        async with effects.block(never) as connection:
            await connection.fetch("select 1")
            lines.half_open(all_calls=True)
            await connection.fetch("select 1")

    async def failing() -> None:
        async with effects.block(never) as connection:
            await connection.fetch("select 1")
            lines.half_open(all_calls=True)
            raise LookupError

    with pytest.raises(StoreAway):
        await asking()
    for _ in range(2):
        with pytest.raises(LookupError):
            await failing()
    await effects.close()


def never() -> Settlement:
    """The end of an attempt that does not come to it."""
    raise AssertionError
