"""Jobs that come with a commit of the caller's: all or none of them, whatever the caller does."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.yard import Yard
from windlass.core.job import State
from windlass.store.outside import Request, enqueue
from windlass.store.sql_store import SqlStore
from windlass.store.sqlite_batches import WIDEST


@pytest.mark.parametrize("dialect", ["sqlite"])
async def test_of_more_jobs_than_fit_one_step_none_is_left_to_a_caller_who_goes_on(
    yard: Yard, store: SqlStore, tmp_path: Path
) -> None:
    there = yard.new()
    await store.enqueue([there])
    jobs = [*(yard.new() for _ in range(WIDEST)), there]
    request = Request(jobs=jobs, dialect="sqlite", schema="public", now_us=yard.clock.now_us())

    with closing(sqlite3.connect(tmp_path / "windlass.db")) as connection:
        with pytest.raises(sqlite3.IntegrityError):
            await enqueue(request, connection)
        connection.commit()

    assert await yard.counted() == {State.PENDING: 1}
