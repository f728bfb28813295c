"""The yardstick, which speaks to the database by itself, still speaks as the store does."""

from pathlib import Path

from benchmarks.jobs import load
from benchmarks.measures.raw import BATCH, Hand, in_one_transaction, on_two_connections
from windlass.clock import SystemChance, SystemClock
from windlass.store.postgres import PostgresDatabase
from windlass.store.script import Statement
from windlass.store.sqlite import SqliteDatabase
from windlass.wiring import migrate

JOBS = BATCH + 1
FINISHED = Statement("counts_finished")


async def test_it_empties_the_line_of_postgresql(postgres_url: str) -> None:
    database = PostgresDatabase(postgres_url)
    await load(database, JOBS)

    await on_two_connections(database, await Hand.of(database))

    assert sum(row["jobs"] for row in await database.read(FINISHED)) == JOBS
    await database.close()


async def test_it_empties_the_line_of_sqlite(sqlite_url: str) -> None:
    await migrate(sqlite_url)
    path = Path(sqlite_url.removeprefix("sqlite:///"))
    database = SqliteDatabase(path, clock=SystemClock(), chance=SystemChance(), inline=True)
    await load(database, JOBS)

    await in_one_transaction(database, await Hand.of(database))

    assert sum(row["jobs"] for row in await database.read(FINISHED)) == JOBS
    await database.close()
