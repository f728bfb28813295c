"""The routes about queues, workers and types of job."""

from typing import Any

import aiohttp
import pytest

from tests.http.asking import ask
from tests.waiting import until
from windlass import Windlass
from windlass.store import sql_totals, sql_trends

ADD = {"type": "add_numbers", "payload": {"x": 1, "y": 2}}


async def test_a_queue_is_paused_by_somebody_and_resumed(client: aiohttp.ClientSession) -> None:
    await ask(client, "POST", "/jobs", {**ADD, "queue": "a/b"})

    _, _, paused = await ask(client, "POST", "/queues/a%2Fb/pause")
    _, _, listed = await ask(client, "GET", "/queues")
    _, _, resumed = await ask(client, "POST", "/queues/a%2Fb/resume")
    _, _, load = await ask(client, "GET", "/queues/a%2Fb/load")

    assert (paused["name"], paused["paused"], paused["pending"]) == ("a/b", True, 1)
    assert paused["paused_by"]
    assert listed[0].pop("oldest_age") >= paused.pop("oldest_age")
    assert listed == [paused]
    assert not resumed["paused"]
    assert load == {"load": 1}


async def test_the_load_is_that_of_the_queues_that_workers_serve(
    client: aiohttp.ClientSession,
) -> None:
    for queue in ("mail", "mail", "reports", "paused"):
        await ask(client, "POST", "/jobs", {**ADD, "queue": queue})
    await ask(client, "POST", "/queues/paused/pause")

    loads = [
        (await ask(client, "GET", f"/load{query}"))[2]["load"]
        for query in ("", "?queues=mail", "?queues=mail,%20reports", "?queues=paused,nothing")
    ]
    _, _, paused = await ask(client, "GET", "/queues/paused/load")

    assert loads == [3, 2, 3, 0]
    assert paused == {"load": 0}


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


async def test_a_queue_tells_how_jobs_flow_through_it_and_who_serves_it(
    app: Windlass, client: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql_trends, "EVERY_US", 0)
    monkeypatch.setattr(sql_totals, "SECOND_US", 0)  # between two counts of what is live
    store = (await app.home()).store
    await ask(client, "POST", "/queues/mail/pause")
    await ask(client, "POST", "/jobs", {**ADD, "queue": "mail"})
    await ask(client, "POST", "/jobs", {**ADD, "queue": "mail", "delay": 3600})
    _, _, [alone] = await ask(client, "GET", "/queues")

    await store.beat()
    await store.beat()
    async with app.worker():
        _, _, [served] = await ask(client, "GET", "/queues")
        _, _, [worker] = await ask(client, "GET", "/workers")

    assert (alone["rate_in"], alone["rate_out"], alone["drain"]) == (None, None, None)
    assert (alone["saturation"], alone["workers"], alone["listeners"]) == (None, 0, [])
    assert (alone["pending"], alone["scheduled"]) == (1, 1)
    assert alone["oldest_age"] >= 0
    assert served["rate_out"] == 0
    assert (served["saturation"], served["workers"]) == (0, 1)
    assert (served["slots"], served["slots_in_use"]) == (worker["slots"], 0)
    assert served["listeners"] == [worker["id"]]


async def test_incidents_say_what_is_wrong_and_where(client: aiohttp.ClientSession) -> None:
    _, _, nothing = await ask(client, "GET", "/incidents")
    await ask(client, "POST", "/jobs", ADD)

    async def told() -> list[dict[str, Any]]:
        _, _, found = await ask(client, "GET", "/incidents")
        return list(found)

    await until(told)
    [incident] = await told()

    assert nothing == []
    assert (incident["kind"], incident["severity"]) == ("no-worker", "critical")
    assert incident["about"] == {"kind": "fleet", "name": ""}
    assert incident["sentence"].startswith("no worker is alive, and 1 job waits")


async def test_a_worker_is_told_to_drain_and_may_go_on(
    app: Windlass, client: aiohttp.ClientSession
) -> None:
    async with app.worker():
        _, _, [worker] = await ask(client, "GET", "/workers")
        place = f"/workers/{worker['id']}"
        status, _, drained = await ask(client, "POST", f"{place}/drain")
        _, _, resumed = await ask(client, "POST", f"{place}/resume")
    unknown, _, _ = await ask(client, "POST", "/workers/nobody/drain")
    gone, _, _ = await ask(client, "POST", f"{place}/resume")

    assert status == 200
    assert (worker["draining"], drained["draining"], resumed["draining"]) == (False, True, False)
    assert drained["draining_by"]
    assert drained["heartbeat_age"] >= 0
    assert (drained["running"], drained["threads_in_use"]) == ([], 0)
    assert (unknown, gone) == (404, 404)


async def test_types_come_with_the_schema_of_their_payload(client: aiohttp.ClientSession) -> None:
    _, _, types = await ask(client, "GET", "/types")
    status, _, one = await ask(client, "GET", "/types/add_numbers")
    missing, _, _ = await ask(client, "GET", "/types/nonsense")

    assert one in types
    assert status == 200
    assert "properties" in str(one["payload_schema"])
    assert missing == 404
