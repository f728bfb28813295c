"""Every curl of the four documents that this scheduler was asked for by, sent as they show it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import aiohttp
import pytest

from tests.http.asking import ask, finished
from windlass import Windlass

EMAIL = {
    "type": "email",
    "payload": {"to": "user@example.com", "subject": "Hello", "body": "World"},
}
WEBHOOK = {
    "type": "webhook",
    "payload": {
        "url": "https://api.example.com/hook",
        "method": "POST",
        "body": {"event": "user.signed_up", "user_id": 123},
        "headers": {"Authorization": "Bearer token123"},
    },
}
SUM = {
    "name": "Sum large array",
    "type": "large_array_sum",
    "priority": 10,
    "thread_demand": 4,
    "payload": {"numbers": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]},
}
FIELDS = {
    "id",
    "type",
    "payload",
    "status",
    "attempts",
    "max_attempts",
    "scheduled_at",
    "started_at",
    "completed_at",
    "created_at",
    "updated_at",
}
STATES = {"scheduled", "pending", "running", "completed", "failed", "cancelled"}


@pytest.mark.parametrize("body", [EMAIL, WEBHOOK])
async def test_a_job_is_submitted(client: aiohttp.ClientSession, body: dict[str, Any]) -> None:
    status, headers, answer = await ask(client, "POST", "/jobs", body)

    assert status == 202
    assert answer.keys() == {"id", "status"}
    assert answer["status"] == "pending"
    assert headers["Location"] == f"/jobs/{answer['id']}"


async def test_a_job_can_be_for_later_and_have_its_own_attempts(
    client: aiohttp.ClientSession,
) -> None:
    later = (datetime.now(UTC) + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")

    _, _, answer = await ask(
        client, "POST", "/jobs", {**EMAIL, "scheduled_at": later, "max_attempts": 5}
    )
    _, _, job = await ask(client, "GET", f"/jobs/{answer['id']}")

    assert answer["status"] == "scheduled"
    assert job["scheduled_at"] == later
    assert job["max_attempts"] == 5


async def test_a_job_is_read_with_the_names_of_the_document(client: aiohttp.ClientSession) -> None:
    _, _, answer = await ask(client, "POST", "/jobs", EMAIL)

    status, _, job = await ask(client, "GET", f"/jobs/{answer['id']}")

    assert status == 200
    assert job.keys() >= FIELDS
    assert job["payload"] == EMAIL["payload"]
    assert (job["attempts"], job["max_attempts"], job["started_at"]) == (0, 3, None)


async def test_jobs_are_listed_and_chosen_by_status(client: aiohttp.ClientSession) -> None:
    _, _, first = await ask(client, "POST", "/jobs", EMAIL)
    _, _, second = await ask(client, "POST", "/jobs", WEBHOOK)

    _, _, every = await ask(client, "GET", "/jobs")
    _, _, pending = await ask(client, "GET", "/jobs?status=pending")
    _, _, failed = await ask(client, "GET", "/jobs?status=failed")

    assert [job["id"] for job in every] == [second["id"], first["id"]]
    assert pending == every
    assert failed == []


async def test_stats_count_every_state(client: aiohttp.ClientSession) -> None:
    await ask(client, "POST", "/jobs", EMAIL)

    status, _, counts = await ask(client, "GET", "/stats")

    assert status == 200
    assert counts == {**dict.fromkeys(STATES, 0), "pending": 1}


async def test_dead_letters_and_adding_need_a_token_even_where_all_is_open(
    client: aiohttp.ClientSession,
) -> None:
    added, headers, _ = await ask(client, "POST", "/addJob", EMAIL)
    listed, _, _ = await ask(client, "GET", "/failedJobs")

    assert (added, listed) == (401, 401)
    assert headers["WWW-Authenticate"] == "Bearer"


async def test_submit_answers_with_the_id(client: aiohttp.ClientSession) -> None:
    status, _, answer = await ask(client, "POST", "/submit", {**EMAIL, "max_retries": 5})
    _, _, job = await ask(client, "GET", f"/jobs/{answer['id']}")

    assert status == 202
    assert job["max_attempts"] == 5


async def test_a_sum_runs_on_its_threads_and_stands_in_history_with_its_times(
    client: aiohttp.ClientSession, app: Windlass
) -> None:
    async with app.worker():
        _, _, answer = await ask(client, "POST", "/jobs", SUM)
        job = await finished(client, answer["id"])

    _, _, history = await ask(client, "GET", "/db/jobs")
    status, _, one = await ask(client, "GET", f"/db/jobs/{job['id']}")
    assert (job["status"], job["result"]["sum"]) == ("completed", 55)
    assert (job["name"], job["priority"], job["thread_demand"]) == ("Sum large array", 10, 4)
    assert [one["id"] for one in history] == [job["id"]]
    assert status == 200
    assert min(one["queue_time"], one["execution_time"], one["total_time"]) >= 0


async def test_history_has_finished_jobs_only(client: aiohttp.ClientSession) -> None:
    _, _, answer = await ask(client, "POST", "/jobs", EMAIL)

    status, _, _ = await ask(client, "GET", f"/db/jobs/{answer['id']}")
    _, _, history = await ask(client, "GET", "/db/jobs")

    assert status == 404
    assert history == []
