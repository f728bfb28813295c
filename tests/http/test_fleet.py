"""The routes about queues, workers and types of job."""

import aiohttp

from tests.http.asking import ask
from windlass import Windlass

ADD = {"type": "add_numbers", "payload": {"x": 1, "y": 2}}


async def test_a_queue_is_paused_by_somebody_and_resumed(client: aiohttp.ClientSession) -> None:
    await ask(client, "POST", "/jobs", {**ADD, "queue": "a/b"})

    _, _, paused = await ask(client, "POST", "/queues/a%2Fb/pause")
    _, _, listed = await ask(client, "GET", "/queues")
    _, _, resumed = await ask(client, "POST", "/queues/a%2Fb/resume")
    _, _, load = await ask(client, "GET", "/queues/a%2Fb/load")

    assert (paused["name"], paused["paused"], paused["pending"]) == ("a/b", True, 1)
    assert paused["paused_by"]
    assert listed == [paused]
    assert not resumed["paused"]
    assert load == {"load": 1}


async def test_a_queue_in_which_nothing_is_is_empty(client: aiohttp.ClientSession) -> None:
    status, _, queue = await ask(client, "GET", "/queues/nothing")

    assert status == 200
    assert (queue["pending"], queue["running"], queue["paused"]) == (0, 0, False)


async def test_workers_and_nodes_tell_what_they_have_and_use(
    app: Windlass, client: aiohttp.ClientSession
) -> None:
    async with app.worker():
        _, _, [worker] = await ask(client, "GET", "/workers")
        _, _, [node] = await ask(client, "GET", "/nodes")

    assert worker["alive"]
    assert worker["slots"] == node["slots"] == app.settings.slots
    assert (worker["slots_in_use"], worker["jobs"]) == (0, [])
    assert worker["node"] == node["id"]
    assert "add_numbers" in worker["types"]


async def test_types_come_with_the_schema_of_their_payload(client: aiohttp.ClientSession) -> None:
    _, _, types = await ask(client, "GET", "/types")
    status, _, one = await ask(client, "GET", "/types/add_numbers")
    missing, _, _ = await ask(client, "GET", "/types/nonsense")

    assert one in types
    assert status == 200
    assert "properties" in str(one["payload_schema"])
    assert missing == 404
