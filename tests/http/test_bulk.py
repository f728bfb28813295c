"""Many jobs at once, over HTTP."""

from typing import Any

import aiohttp
import pytest

from tests.http.asking import ask, finished
from windlass import Windlass

ADD = {"type": "add_numbers", "payload": {"x": 1, "y": 2}, "delay": 3600}


async def test_a_bulk_action_is_a_job_to_look_at(
    client: aiohttp.ClientSession, app: Windlass
) -> None:
    for _ in range(3):
        await ask(client, "POST", "/jobs", ADD)
    order = {"action": "cancel", "filter": "type:add_numbers"}

    async with app.worker():
        status, headers, accepted = await ask(client, "POST", "/jobs/bulk", order)
        job = await finished(client, accepted["id"])

    assert (status, accepted["status"]) == (202, "pending")
    assert headers["Location"] == f"/jobs/{accepted['id']}"
    assert (job["status"], job["type"]) == ("completed", "windlass.bulk")
    assert job["result"] == {"matched": 3, "changed": 3}
    _, _, progress = await ask(client, "GET", f"/jobs/{accepted['id']}/progress")
    assert progress["fraction"] == 1
    _, _, counts = await ask(client, "GET", "/stats")
    assert counts["cancelled"] == 3


async def test_a_request_with_a_key_that_comes_twice_makes_one_action(
    client: aiohttp.ClientSession,
) -> None:
    order = {"action": "retry", "filter": "status:failed"}

    one, _, first = await ask(client, "POST", "/jobs/bulk", order, idempotency_key="k")
    two, _, second = await ask(client, "POST", "/jobs/bulk", order, idempotency_key="k")

    assert (one, two) == (202, 200)
    assert first["id"] == second["id"]


@pytest.mark.parametrize(
    ("order", "status", "told"),
    [
        ({"action": "burn", "filter": "status:failed"}, 422, "action"),
        ({"action": "retry"}, 422, "filter"),
        ({"action": "retry", "filter": ""}, 422, "filter"),
        ({"action": "retry", "filter": " "}, 422, "say which jobs to retry"),
        ({"action": "retry", "filter": "status:running"}, 422, "retry is for jobs that are failed"),
        ({"action": "retry", "filter": "colour:red"}, 400, "no field 'colour'"),
        ({"action": "retry", "filter": "status:failed", "rate": 0}, 422, "rate"),
        ({"action": "retry", "filter": "status:failed", "rate": "5"}, 422, "rate"),
        ({"action": "retry", "filter": "status:failed", "rate": 1e-9}, 422, "rate"),
        ({"action": "retry", "filter": "status:failed", "speed": 5}, 422, "speed"),
        ({"action": "retry", "filter": "timed\0out"}, 400, "NUL"),
    ],
)
async def test_an_order_that_cannot_be_is_refused_and_nothing_is_kept(
    client: aiohttp.ClientSession, order: dict[str, Any], status: int, told: str
) -> None:
    refused, _, problem = await ask(client, "POST", "/jobs/bulk", order)

    _, _, jobs = await ask(client, "GET", "/jobs")
    assert refused == status
    assert told in problem["detail"]
    assert jobs == []
