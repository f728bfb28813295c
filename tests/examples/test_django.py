"""The example for Django does what it shows."""

import signal
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.examples.programs import copied, printed, serving, start
from tests.services import Postgres
from tests.waiting import until


@pytest.fixture(params=["sqlite", "postgres"])
def env(request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """Nothing, or where there is an empty PostgreSQL database."""
    if request.param == "sqlite":
        yield {}
        return
    postgres: Postgres = request.getfixturevalue("postgres")
    url = postgres.create_database()
    yield {"DATABASE_URL": url}
    postgres.drop_database(url)


async def test_an_order_is_taken_at_once_and_mailed_by_a_worker(
    env: dict[str, str], tmp_path: Path
) -> None:
    folder = copied("django", tmp_path)
    migrated = await printed("python manage.py migrate", folder, **env)
    worker = await start("python manage.py windlass worker", folder, **env)

    async with (
        serving("python manage.py runserver --noreload 127.0.0.1:0", folder, **env) as url,
        httpx2.AsyncClient(base_url=url, timeout=30) as web,
    ):
        taken = await web.post("/orders/", data={"to": "ada@example.org"})

        async def mailed() -> bool:
            return bool((await web.get("/orders/1/")).json()["status"] == "SUCCESSFUL")

        await until(mailed, at_most=60)
        shown = (await web.get("/orders/1/")).json()
    worker.send_signal(signal.SIGTERM)
    said, _ = await worker.communicate()

    assert "tables of Windlass" in migrated
    assert taken.status_code == 201
    assert shown == {**taken.json(), "mailed": True, "status": "SUCCESSFUL"}
    assert "To: ada@example.org" in said.decode()
    assert worker.returncode == 0
