"""The step that brings totals keeps every count, up and down."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.services import Postgres
from tests.store.test_migrate import Place
from windlass.core.job import State
from windlass.store import migrate
from windlass.store.migrate import steps

# Rows as they were: folded ones with what was deleted since, and one that is young.
ROLLUPS = """
insert into windlass_rollups (at, grain, queue, type, state, jobs, waited_us, ran_us) values
 ({then}, 3600, 'default', 'mail', 'completed', 5, 10, 20),
 ({then}, 3600, 'default', 'mail', 'completed', -2, 0, 0),
 ({then}, 60, 'default', 'mail', 'cancelled', 1, 0, 0),
 ({then}, 0, 'default', 'mail', 'failed', 1, 0, 5)
"""
SUMS = "select state, cast(sum(jobs) as integer) from windlass_rollups group by state"
FINISHED = {State.COMPLETED: 3, State.CANCELLED: 1, State.FAILED: 1}


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    if request.param == "sqlite":
        yield Place("sqlite", str(tmp_path / "windlass.db"))
        return
    postgres: Postgres = request.getfixturevalue("postgres")
    url = postgres.create_database()
    yield Place("postgres", url)
    postgres.drop_database(url)


def run(place: Place, statement: str) -> list[tuple[str, int]]:
    """Run a statement past the store."""
    if place.dialect == "sqlite":
        with sqlite3.connect(place.where, isolation_level=None) as file:
            return file.execute(statement).fetchall()
    with psycopg.connect(place.where, autocommit=True) as server:
        cursor = server.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


async def test_counts_survive_the_step_and_its_undoing(place: Place) -> None:
    async with place.opened() as (migrator, store):
        for step in steps(place.dialect)[:2]:
            await migrator.apply(step)
        run(place, ROLLUPS.format(then=1 if place.dialect == "sqlite" else "'epoch'"))

        await migrate.up(migrator)
        counts = await store.counts()
        ended = {one.state: one.ended for one in await store.totals()}
        await migrate.down(migrator, to=2)

    assert {state: counts[state] for state in FINISHED} == FINISHED
    assert ended == {State.COMPLETED: 5, State.CANCELLED: 1, State.FAILED: 1}
    assert dict(run(place, SUMS)) == FINISHED
