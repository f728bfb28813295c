"""The door of the service: what is found, what is not, and what the document says of it."""

import aiohttp


async def test_health_says_ok(client: aiohttp.ClientSession) -> None:
    async with client.get("/health") as answer:
        words = await answer.text()

    assert answer.status == 200
    assert words == "ok"


async def test_a_place_where_nothing_is_gets_a_problem(client: aiohttp.ClientSession) -> None:
    async with client.get("/nowhere") as answer:
        problem = await answer.json(content_type="application/problem+json")

    assert answer.status == 404
    assert problem["type"] == "urn:windlass:problem:not-found"


async def test_a_method_that_is_not_there_is_told_which_are(client: aiohttp.ClientSession) -> None:
    async with client.post("/health") as answer:
        await answer.read()

    assert answer.status == 405
    assert answer.headers["Allow"] == "GET, HEAD"


async def test_head_is_answered_like_get_without_the_body(client: aiohttp.ClientSession) -> None:
    async with client.head("/health") as answer:
        body = await answer.read()

    assert answer.status == 200
    assert answer.headers["Content-Length"] == "2"
    assert body == b""
