"""Services to attack: one for each module and store, since attacks must leave it as it was."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.attacks.fort import Fort, standing
from tests.services import Postgres


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the service runs."""
    folder = tmp_path_factory.mktemp("fort")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield folder


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, folder: Path) -> Iterator[str]:
    """Each store in turn."""
    if request.param == "sqlite":
        yield f"sqlite:///{folder / 'windlass.db'}"
        return
    postgres: Postgres = request.getfixturevalue("postgres")
    url = postgres.create_database(template=request.getfixturevalue("postgres_template"))
    yield url
    postgres.drop_database(url)


@pytest.fixture(scope="module")
async def shared(place: str) -> AsyncIterator[Fort]:
    """A service that is open, as to every program of this machine."""
    async with standing(place) as fort:
        yield fort


@pytest.fixture
def fort(shared: Fort) -> Iterator[Fort]:
    """The same; nothing may break in it that nobody foresaw."""
    shared.recorder.events.clear()
    yield shared
    assert shared.broken() == []
