"""The routes about jobs: what they accept, what they refuse, and what they say."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import aiohttp
import pytest

from tests.http.asking import ask, finished
from windlass import Windlass
from windlass.store.script import Statement

ADD = {"type": "add_numbers", "payload": {"x": 1, "y": 2}}


async def submitted(client: aiohttp.ClientSession, **more: object) -> str:
    """The id of a new job."""
    _, _, answer = await ask(client, "POST", "/jobs", {**ADD, **more})
    return str(answer["id"])


async def prune(app: Windlass, job_id: str) -> None:
    """Forget a finished job as its age would have it: its key stays."""
    store = await app.storehouse.store(connections=1)
    await store.database.write(Statement("delete", {"ids": [job_id], "with_keys": False}))
    await store.close()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"type": "nonsense"}, "no job type 'nonsense'; known types: "),
        ({"payload": {"x": 1}}, "missing required field"),
        ({"payload": {"x": 1, "y": 2, "z": 3}}, "unknown field"),
        ({"payload": 5}, "payload"),
        ({"priority": "5"}, "priority: Expected int"),
        ({"priority": 101}, "priority"),
        ({"thread_demand": 0}, "thread_demand"),
        ({"max_attempts": 10**9}, "max_attempts"),
        ({"delay": -1}, "delay"),
        ({"delay": 1e308}, "delay"),
        ({"scheduled_at": "2030-01-01T00:00:00"}, "scheduled_at"),
        ({"scheduled_at": "tomorrow"}, "scheduled_at"),
        ({"scheduled_at": "2030-01-01T00:00:00Z", "delay": 1}, "not both"),
        ({"max_attempts": 2, "max_retries": 2}, "one of them"),
        ({"queue": "@odd"}, "queue"),
        ({"name": "new\nline"}, "printable"),
        ({"state": "completed"}, "unknown field"),
        ({"attempts": 7}, "unknown field"),
        ({"created_at": "2030-01-01T00:00:00Z"}, "unknown field"),
    ],
)
async def test_what_cannot_be_is_refused_with_the_reason_and_changes_nothing(
    client: aiohttp.ClientSession, change: dict[str, Any], told: str
) -> None:
    status, _, problem = await ask(client, "POST", "/jobs", {**ADD, **change})

    _, _, jobs = await ask(client, "GET", "/jobs")
    assert status == 422
    assert told in problem["detail"]
    assert jobs == []


@pytest.mark.parametrize(
    ("body", "media", "status"),
    [
        (b"{", "application/json", 400),
        (b"", "application/json", 400),
        (b'{"type": "\xff"}', "application/json", 400),
        (b'{"type": "x", "payload": ' + b"[" * 100_000, "application/json", 400),
        (b"[]", "application/json", 422),
        (b'{"type": "add_numbers"}', "text/plain", 415),
        (b"type=add_numbers", "application/x-www-form-urlencoded", 415),
    ],
)
async def test_what_is_no_json_is_refused(
    client: aiohttp.ClientSession, body: bytes, media: str, status: int
) -> None:
    async with client.post("/jobs", data=body, headers={"Content-Type": media}) as answer:
        problem = await answer.json(content_type="application/problem+json")

    assert answer.status == problem["status"] == status


async def test_a_key_makes_one_job_of_many_requests(client: aiohttp.ClientSession) -> None:
    first, *others = await asyncio.gather(
        *(ask(client, "POST", "/jobs", ADD, Idempotency_Key="one") for _ in range(20))
    )
    again = await ask(client, "POST", "/jobs", ADD, Idempotency_Key="one")

    _, _, jobs = await ask(client, "GET", "/jobs")
    statuses = sorted(status for status, _, _ in [first, *others])
    assert statuses == [200] * 19 + [202]
    assert {answer["id"] for _, _, answer in [first, *others, again]} == {jobs[0]["id"]}
    assert len(jobs) == 1
    assert again[0] == 200


async def test_a_key_whose_job_is_no_longer_kept_says_so(
    client: aiohttp.ClientSession, app: Windlass
) -> None:
    job_id = await submitted(client, idempotency_key="one")
    await ask(client, "POST", f"/jobs/{job_id}/cancel")
    await prune(app, job_id)

    status, headers, answer = await ask(client, "POST", "/jobs", ADD, Idempotency_Key="one")
    many = {"jobs": [{**ADD, "idempotency_key": "one"}]}
    _, _, batch = await ask(client, "POST", "/jobs/batch", many)

    assert (status, answer) == (200, {"id": job_id, "status": None})
    assert "Location" not in headers
    assert batch["jobs"] == [{"id": job_id}]


async def test_a_key_is_not_for_another_request(client: aiohttp.ClientSession) -> None:
    await ask(client, "POST", "/jobs", ADD, Idempotency_Key="one")

    other = {**ADD, "payload": {"x": 3, "y": 4}}
    status, _, problem = await ask(client, "POST", "/jobs", other, Idempotency_Key="one")

    assert status == 422
    assert problem["type"] == "urn:windlass:problem:key-taken"


async def test_a_batch_is_kept_as_a_whole(client: aiohttp.ClientSession) -> None:
    status, _, answer = await ask(client, "POST", "/jobs/batch", {"jobs": [ADD, ADD, ADD]})

    _, _, jobs = await ask(client, "GET", "/jobs")
    assert status == 202
    assert (answer["accepted"], answer["refused"]) == (3, 0)
    assert {job["id"] for job in jobs} == {job["id"] for job in answer["jobs"]}


async def test_a_batch_with_one_that_cannot_be_is_refused_as_a_whole(
    client: aiohttp.ClientSession,
) -> None:
    status, _, problem = await ask(
        client, "POST", "/jobs/batch", {"jobs": [ADD, {"type": "nonsense"}, ADD]}
    )

    _, _, jobs = await ask(client, "GET", "/jobs")
    assert status == 422
    assert [error["job"] for error in problem["errors"]] == [1]
    assert jobs == []


async def test_of_a_batch_that_is_not_atomic_those_are_kept_that_can_be(
    client: aiohttp.ClientSession,
) -> None:
    await ask(client, "POST", "/jobs", ADD, Idempotency_Key="taken")
    other = {"type": "reverse_string", "payload": {"text": "x"}, "idempotency_key": "taken"}
    batch = {"atomic": False, "jobs": [ADD, {"type": "nonsense"}, other, ADD]}

    status, _, answer = await ask(client, "POST", "/jobs/batch", batch)

    _, _, jobs = await ask(client, "GET", "/jobs")
    assert status == 202
    assert (answer["accepted"], answer["refused"]) == (2, 2)
    assert [verdict.get("problem") for verdict in answer["jobs"]] == [
        None,
        "unknown-type",
        "key-taken",
        None,
    ]
    assert len(jobs) == 3


async def test_pages_lead_from_one_to_the_next_without_a_gap(client: aiohttp.ClientSession) -> None:
    made = [await submitted(client) for _ in range(5)]

    found, path = [], "/jobs?limit=2&status=pending"
    while path:
        _, headers, jobs = await ask(client, "GET", path)
        found += [job["id"] for job in jobs]
        path = headers["Link"].split(">")[0][1:] if "Link" in headers else ""

    assert found == made[::-1]


async def test_jobs_are_found_by_what_is_in_their_payload(client: aiohttp.ClientSession) -> None:
    await submitted(client)
    wanted = await submitted(client, payload={"x": 7, "y": 2})

    _, _, jobs = await ask(client, "GET", "/jobs?q=payload.x:7%20type:add_numbers")

    assert [job["id"] for job in jobs] == [wanted]


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=many", "status=nonsense", "nonsense=1", "q=nonsense:1", "limit=1&limit=2"],
)
async def test_a_question_that_makes_no_sense_is_refused(
    client: aiohttp.ClientSession, query: str
) -> None:
    status, _, problem = await ask(client, "GET", f"/jobs?{query}")

    assert status in (400, 422)
    assert problem["detail"]


@pytest.mark.parametrize("name", ["", "/attempts", "/logs", "/progress", "/explain", "/files/x"])
@pytest.mark.parametrize("job_id", ["nonsense", "0190a3a2-0000-7000-8000-000000000000"])
async def test_a_job_that_is_not_there_is_unknown(
    client: aiohttp.ClientSession, job_id: str, name: str
) -> None:
    status, _, problem = await ask(client, "GET", f"/jobs/{job_id}{name}")

    assert status == 404
    assert job_id in problem["detail"]


async def test_a_waiting_job_is_cancelled_at_once_retried_and_deleted(
    client: aiohttp.ClientSession,
) -> None:
    job_id = await submitted(client)

    cancelled = await ask(client, "POST", f"/jobs/{job_id}/cancel")
    twice = await ask(client, "POST", f"/jobs/{job_id}/cancel")
    retried = await ask(client, "POST", f"/jobs/{job_id}/retry")
    too_early = await ask(client, "DELETE", f"/jobs/{job_id}")
    await ask(client, "POST", f"/jobs/{job_id}/cancel")
    deleted = await ask(client, "DELETE", f"/jobs/{job_id}")

    assert (cancelled[0], cancelled[2]["status"]) == (202, "cancelled")
    assert twice[0] == 202
    assert (retried[0], retried[2]["status"]) == (202, "pending")
    assert too_early[0] == 409
    assert deleted[0] == 204


async def test_a_job_for_later_is_run_now_and_only_once(client: aiohttp.ClientSession) -> None:
    job = await submitted(client, delay=3600)

    status, _, now = await ask(client, "POST", f"/jobs/{job}/run")
    again, _, problem = await ask(client, "POST", f"/jobs/{job}/run")

    assert (status, now["status"]) == (202, "pending")
    assert now["scheduled_at"] < (datetime.now(UTC) + timedelta(minutes=1)).isoformat()
    assert again == 409
    assert "due already" in problem["detail"]


async def test_a_finished_job_is_replayed_with_another_payload(
    client: aiohttp.ClientSession,
) -> None:
    old = await submitted(client, queue="sums", priority=7, name="first")
    early, _, _ = await ask(client, "POST", f"/jobs/{old}/replay", {})
    await ask(client, "POST", f"/jobs/{old}/cancel")

    body = {"payload": {"x": 5, "y": 6}, "priority": 9}
    status, headers, new = await ask(client, "POST", f"/jobs/{old}/replay", body)
    clone, _, same = await ask(client, "POST", f"/jobs/{old}/replay", {}, Idempotency_Key="k")
    known, _, known_one = await ask(client, "POST", f"/jobs/{old}/replay", {}, Idempotency_Key="k")
    wrong, _, _ = await ask(client, "POST", f"/jobs/{old}/replay", {"payload": {"x": 5}})
    _, _, job = await ask(client, "GET", f"/jobs/{new['id']}")
    _, _, links = await ask(client, "GET", f"/jobs/{old}/links")
    _, _, back = await ask(client, "GET", f"/jobs/{new['id']}/links")

    assert (early, status, clone, known, wrong) == (409, 202, 202, 200, 422)
    assert headers["Location"] == f"/jobs/{new['id']}"
    assert same["id"] == known_one["id"]
    assert (job["payload"], job["priority"]) == ({"x": 5, "y": 6}, 9)
    assert (job["queue"], job["name"], job["type"]) == ("sums", "first", "add_numbers")
    assert links == {"replay_of": None, "replays": sorted([new["id"], same["id"]])}
    assert back == {"replay_of": old, "replays": []}


async def test_a_running_job_is_asked_to_stop(app: Windlass, client: aiohttp.ClientSession) -> None:
    started, answered = asyncio.Event(), asyncio.Event()

    @app.job(type="endless")
    async def endless() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            await answered.wait()

    async with app.worker():
        job_id = await submitted(client, type="endless", payload={})
        await started.wait()
        status, _, asked = await ask(client, "POST", f"/jobs/{job_id}/cancel")
        answered.set()
        job = await finished(client, job_id)

    assert (status, asked["status"], asked["cancel_requested"]) == (202, "running", True)
    assert job["status"] == "cancelled"


async def test_attempts_and_logs_of_a_job_can_be_read(
    app: Windlass, client: aiohttp.ClientSession
) -> None:
    @app.job(type="clumsy", max_attempts=1)
    async def clumsy() -> None:
        raise RuntimeError("dropped it")

    async with app.worker():
        job_id = await submitted(client, type="clumsy", payload={})
        job = await finished(client, job_id)

    _, _, attempts = await ask(client, "GET", f"/jobs/{job_id}/attempts")
    status, _, lines = await ask(client, "GET", f"/jobs/{job_id}/logs")
    assert (job["status"], job["reason"]) == ("failed", "attempts")
    assert "dropped it" in job["error"]
    assert [(one["number"], one["reason"]) for one in attempts] == [(1, "attempts")]
    assert (status, lines) == (200, [])


async def test_a_waiting_job_is_explained(client: aiohttp.ClientSession) -> None:
    await submitted(client)
    later = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    waiting = await submitted(client)
    scheduled = await submitted(client, scheduled_at=later)

    _, _, told = await ask(client, "GET", f"/jobs/{waiting}/explain")
    _, _, until = await ask(client, "GET", f"/jobs/{scheduled}/explain")

    assert (told["status"], told["ahead"], told["ahead_exact"]) == ("pending", 1, True)
    assert any("worker" in reason for reason in told["reasons"])
    assert until["status"] == "scheduled"
    assert until["reasons"]
