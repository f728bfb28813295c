"""A store, a bell that anyone hears, and somebody who watches."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.embedded import Fleet, OwnClock, embedded_store
from tests.recorder import Recorder
from windlass.bell.base import Ear
from windlass.bell.local import LocalBell
from windlass.clock import SystemChance, SystemClock
from windlass.store.sql_store import SqlStore


@pytest.fixture
def clock() -> OwnClock:
    return OwnClock()


@pytest.fixture
def observer() -> Recorder:
    return Recorder()


@pytest.fixture
async def store(tmp_path: Path, clock: OwnClock) -> AsyncIterator[SqlStore]:
    async with embedded_store(tmp_path / "jobs.db", clock) as store:
        yield store


@pytest.fixture
def fleet(store: SqlStore) -> Fleet:
    return Fleet(store)


@pytest.fixture
def bell(observer: Recorder) -> LocalBell:
    return LocalBell(None, clock=SystemClock(), chance=SystemChance(), observer=observer)


@pytest.fixture
async def ear(bell: LocalBell) -> AsyncIterator[Ear]:
    async with bell.listen() as ear:
        yield ear
