"""Migrations: numbered steps under a lock, on both databases."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.services import Postgres
from windlass.clock import SystemChance, SystemClock
from windlass.core.errors import NotMigrated
from windlass.core.job import NewJob
from windlass.store import migrate
from windlass.store.migrate import Migrator, Step, steps
from windlass.store.migrate_postgres import PostgresMigrator
from windlass.store.migrate_sqlite import SqliteMigrator
from windlass.store.postgres import PostgresDatabase
from windlass.store.sql_store import SqlStore
from windlass.store.sqlite import SqliteDatabase


class Place:
    """An empty database that can be opened several times."""

    def __init__(self, dialect: str, where: str, schema: str = "public") -> None:
        self.dialect = dialect
        self.where = where
        self.schema = schema

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[tuple[Migrator, SqlStore]]:
        """A connection of its own, as another process would have."""
        clock = SystemClock()
        if self.dialect == "sqlite":
            file = SqliteDatabase(self.where, clock=clock, chance=SystemChance())
            yield SqliteMigrator(file), SqlStore(file, clock)
            await file.close()
            return
        server = PostgresDatabase(self.where, schema=self.schema)
        yield PostgresMigrator(server, self.schema), SqlStore(server, clock)
        await server.close()


@pytest.fixture(params=["sqlite", "postgres", "postgres in a schema"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    if request.param == "sqlite":
        yield Place("sqlite", str(tmp_path / "windlass.db"))
        return
    postgres: Postgres = request.getfixturevalue("postgres")
    url = postgres.create_database()
    yield Place("postgres", url, "public" if request.param == "postgres" else "jobs")
    postgres.drop_database(url)


async def test_an_empty_database_is_brought_up_and_works(place: Place) -> None:
    async with place.opened() as (migrator, store):
        applied = await migrate.up(migrator)
        await store.enqueue([NewJob(id=SystemChance().job_id(), type="mail", payload="{}")])

        assert applied == steps(place.dialect)
        assert await migrate.up(migrator) == []
        await migrate.check(migrator)
        assert sum((await store.counts()).states.values()) == 1


async def test_the_status_says_what_was_applied_and_when(place: Place) -> None:
    async with place.opened() as (migrator, _):
        before = await migrate.status(migrator)
        await migrate.up(migrator)
        after = await migrate.status(migrator)

    assert [there for _, there in before] == [None] * len(before)
    assert all(there and there.name == step.name for step, there in after)
    assert all(there and there.at.tzinfo for _, there in after)


async def test_asking_for_the_status_changes_nothing(place: Place) -> None:
    async with place.opened() as (migrator, _):
        await migrate.status(migrator)

        assert await migrator.applied() == []


async def test_everything_can_be_undone_and_done_again(place: Place) -> None:
    async with place.opened() as (migrator, store):
        await migrate.up(migrator)
        undone = await migrate.down(migrator, to=0)
        with pytest.raises(NotMigrated, match="windlass migrate up"):
            await store.counts()
        await migrate.up(migrator)

        assert undone == steps(place.dialect)[::-1]
        assert sum((await store.counts()).states.values()) == 0


async def test_one_step_down_undoes_the_last(place: Place) -> None:
    async with place.opened() as (migrator, _):
        await migrate.up(migrator)

        undone = await migrate.down(migrator)

        assert undone == steps(place.dialect)[-1:]
        assert [one.number for one in await migrator.applied()] == [
            step.number for step in steps(place.dialect)[:-1]
        ]


async def test_many_may_start_at_once(place: Place) -> None:
    async def start() -> None:
        async with place.opened() as (migrator, store):
            await migrate.up(migrator)
            await store.counts()

    await asyncio.gather(*(start() for _ in range(6)))

    async with place.opened() as (migrator, _):
        assert [one.number for one in await migrator.applied()] == [
            step.number for step in steps(place.dialect)
        ]


async def test_missing_tables_are_refused_with_what_to_do(place: Place) -> None:
    async with place.opened() as (migrator, store):
        with pytest.raises(NotMigrated, match=r"lacks migration 0001 .*windlass migrate up"):
            await migrate.check(migrator)
        with pytest.raises(NotMigrated, match="windlass migrate up"):
            await store.counts()


async def test_a_database_of_a_newer_version_is_refused_with_what_to_do(place: Place) -> None:
    newer = Step(9_999, "future", "create table windlass_future (x integer);\n", "")
    async with place.opened() as (migrator, _):
        await migrate.up(migrator)
        await migrator.apply(newer)

        for verb in (migrate.up, migrate.check, migrate.status, migrate.down):
            with pytest.raises(NotMigrated, match=r"9999 \(future\).*newer.*Upgrade"):
                await verb(migrator)


async def test_a_step_that_was_edited_after_it_was_applied_is_refused(place: Place) -> None:
    [first, *_] = steps(place.dialect)
    edited = Step(first.number, first.name, first.up + "\n-- edited\n", first.down)
    async with place.opened() as (migrator, _):
        await migrator.apply(edited)

        with pytest.raises(NotMigrated, match="another form"):
            await migrate.up(migrator)


async def test_a_step_that_fails_leaves_nothing_behind(place: Place) -> None:
    broken = Step(1, "broken", "create table windlass_half (x integer);\nselect nonsense;\n", "")
    async with place.opened() as (migrator, _):
        with pytest.raises(Exception, match="nonsense"):
            await migrator.apply(broken)

        assert await migrator.applied() == []
        await migrate.up(migrator)


@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
def test_steps_are_numbered_without_gaps(dialect: str) -> None:
    known = steps(dialect)

    assert [step.number for step in known] == list(range(1, len(known) + 1))
    assert all(step.up.strip() and step.down.strip() for step in known)


def test_both_databases_have_the_same_steps() -> None:
    assert [(step.number, step.name) for step in steps("sqlite")] == [
        (step.number, step.name) for step in steps("postgres")
    ]
