"""Transactions of handlers in processes of their own: effect and end in one commit."""

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from tests.worker.program import Site
from windlass.core.job import State

APP = """
from windlass import Context, Windlass

app = Windlass()


@app.job(isolation="process")
def mark(ctx: Context, number: int) -> None:
    with ctx.transaction() as connection:
        connection.execute(f"insert into marks values ({number})")
        ctx.result(number)
    raise RuntimeError("after the end, which changes nothing")


@app.job(isolation="process", max_attempts=1)
def slip(ctx: Context, number: int) -> None:
    with ctx.transaction() as connection:
        connection.execute(f"insert into marks values ({number})")
        raise RuntimeError("inside the block, which undoes it")


@app.job(isolation="process", max_attempts=1)
def count(ctx: Context) -> list[int]:
    with ctx.transaction() as connection:
        rows = connection.execute("select number from marks order by number")
        ctx.result([row[0] for row in rows])
"""


@pytest.fixture
async def site(tmp_path: Path, store_url: str) -> AsyncIterator[Site]:
    site = Site(tmp_path, store_url)
    (tmp_path / "shop.py").write_text(APP)
    async with site.app:
        await _make_table(site)
        yield site


async def test_an_isolated_handler_commits_its_effect_with_its_end_or_not_at_all(
    site: Site,
) -> None:
    async with site.program():
        marked = await site.enqueue("mark", '{"number": 1}')
        slipped = await site.enqueue("slip", '{"number": 2}', max_attempts=1)
        await site.until_state(marked, State.COMPLETED)
        await site.until_state(slipped, State.FAILED)
        counted = await site.until_state(await site.enqueue("count"), State.COMPLETED)

    assert (await site.job(marked)).result == "1"
    assert counted.result == "[1]"


async def _make_table(site: Site) -> None:
    table = "create table marks (number integer)"
    if site.url.startswith("sqlite"):
        with sqlite3.connect(site.url.removeprefix("sqlite:///")) as file:
            file.execute(table)
        return
    connection = await asyncpg.connect(site.url)
    await connection.execute(table)
    await connection.close()
