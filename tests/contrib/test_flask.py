"""Windlass in Flask: handlers know the application, and views need not catch."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from flask import Flask, current_app

from windlass.contrib.flask import FlaskWindlass


@pytest.fixture
def app() -> Flask:
    """An application with a name of its own."""
    app = Flask("harbour")
    app.config["TIDE"] = "high"
    return app


@pytest.fixture
async def jobs(sqlite_url: str) -> AsyncIterator[FlaskWindlass]:
    """Jobs, some of which are declared before the application is known."""
    async with FlaskWindlass(sqlite_url) as jobs:

        @jobs.job
        def tide() -> str:
            return str(current_app.config["TIDE"])

        yield jobs


async def test_handlers_run_in_the_context_of_the_application(
    jobs: FlaskWindlass, app: Flask
) -> None:
    jobs.init_app(app)

    @jobs.job
    async def tide_later() -> str:
        return str(current_app.config["TIDE"])

    async with jobs.worker():
        plain = await jobs.enqueue(jobs.job_of("tide", {}))
        later = await tide_later.enqueue()
        results = [(await jobs.wait(job.id, 30)).result for job in (plain, later)]

    assert results == ["high", "high"]
    assert app.extensions["windlass"] is jobs


async def test_the_application_that_was_made_last_counts(jobs: FlaskWindlass, app: Flask) -> None:
    jobs.init_app(Flask("before"))
    jobs.init_app(app)

    async with jobs.worker():
        kept = await jobs.enqueue(jobs.job_of("tide", {}))
        job = await jobs.wait(kept.id, 30)

    assert job.result == "high"


def test_a_view_enqueues_and_an_unknown_job_is_not_found(sqlite_url: str, app: Flask) -> None:
    jobs = FlaskWindlass(sqlite_url)
    jobs.init_app(app)

    @jobs.job
    def note(text: str) -> None: ...

    @app.post("/notes")
    def enqueue() -> dict[str, Any]:
        return {"id": jobs.blocking.enqueue(note.job("ahoy")).id}

    @app.get("/notes/<job_id>")
    def read(job_id: str) -> dict[str, Any]:
        return {"payload": jobs.blocking.get(job_id).payload}

    web = app.test_client()
    kept = web.post("/notes").get_json()["id"]
    found, unknown = web.get(f"/notes/{kept}"), web.get("/notes/none")
    jobs.blocking.close()

    assert found.get_json() == {"payload": {"text": "ahoy"}}
    assert (unknown.status_code, unknown.mimetype) == (404, "application/problem+json")
    assert "no job none" in unknown.get_json(force=True)["detail"]
