"""What is opened at an address, and what becomes of it where something is missing."""

from pathlib import Path

import pytest

from tests.recorder import Recorder
from windlass.config import load
from windlass.core.errors import BadInput
from windlass.observe.events import Advised
from windlass.store.sqlite import SqliteDatabase
from windlass.wiring import Storehouse, storehouse

REDIS = "redis://127.0.0.1:1/0"


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> list[SqliteDatabase]:
    """The databases that were closed, where the package for Redis is missing."""
    closed: list[SqliteDatabase] = []
    close = SqliteDatabase.close

    async def noted(database: SqliteDatabase) -> None:
        closed.append(database)
        await close(database)

    monkeypatch.setattr(SqliteDatabase, "close", noted)
    monkeypatch.setattr(storehouse, "find_spec", lambda _: None)
    return closed


async def test_a_redis_that_cannot_be_used_leaves_no_database_open(
    sqlite_url: str, tmp_path: Path, closed: list[SqliteDatabase]
) -> None:
    house = Storehouse(load({"WINDLASS_REDIS": REDIS}, tmp_path, {"store": sqlite_url}))

    with pytest.raises(BadInput, match=r"WINDLASS_REDIS .* pip install 'windlass\[redis\]'"):
        await house.store()

    assert len(closed) == 1


async def test_a_redis_that_a_platform_names_is_done_without(
    sqlite_url: str, tmp_path: Path, closed: list[SqliteDatabase]
) -> None:
    recorder = Recorder()
    settings = load({"REDIS_URL": REDIS}, tmp_path, {"store": sqlite_url})
    house = Storehouse(settings, observer=recorder)

    store = await house.store()

    assert await store.census()
    assert recorder.of(Advised)
    assert not closed
    await store.close()
