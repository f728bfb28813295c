"""Failures that are alike, over HTTP: found as a group, and replayed as one."""

import aiohttp

from tests.http.asking import ask
from windlass import Windlass


async def fail(app: Windlass, *names: str) -> None:
    @app.job
    async def breaks(name: str) -> None:
        raise ValueError(f"no user {name!r}")

    async with app.worker():
        for name in names:
            enqueued = await breaks.options(max_attempts=1).enqueue(name=name)
            await app.wait(enqueued.id)


async def test_dead_letters_come_in_groups_that_can_be_found_again(
    app: Windlass, client: aiohttp.ClientSession
) -> None:
    await fail(app, "ann", "bob")

    status, _, dead = await ask(client, "GET", "/dead")
    [group] = dead["groups"]
    _, _, found = await ask(client, "GET", f"/jobs?q={group['q']}".replace(" ", "%20"))
    _, _, lately = await ask(client, "GET", "/failures?window=1h")

    assert status == 200
    assert (dead["total"], dead["looked_at"], dead["looked_back_to"]) == (2, 2, None)
    assert (group["type"], group["count"], group["queues"]) == ("breaks", 2, ["default"])
    assert group["q"] == f"status:failed type:breaks fingerprint:{group['fingerprint']}"
    assert found[0]["id"] == group["sample"]
    assert len(found) == 2
    assert lately["groups"][0]["fingerprint"] == group["fingerprint"]
    assert lately["groups"][0]["q"] == f"type:breaks fingerprint:{group['fingerprint']}"


async def test_a_fingerprint_that_is_none_is_refused(client: aiohttp.ClientSession) -> None:
    status, _, problem = await ask(client, "GET", "/jobs?q=fingerprint:xyz")
    window, _, _ = await ask(client, "GET", "/failures?window=1y")

    assert (status, window) == (400, 400)
    assert "12 digits" in problem["detail"]
