"""Mail that the sink has taken, over HTTP: there only beside a sink, and never as a page."""

from collections.abc import AsyncIterator
from dataclasses import fields
from email.message import EmailMessage
from email.policy import SMTP
from typing import Any

import aiohttp
import pytest

from tests.http.conftest import serving
from windlass.clock import SystemClock
from windlass.http import mail
from windlass.http.app import Api
from windlass.http.chapters import OTHER, chapter
from windlass.http.gate import admission
from windlass.http.service import Service
from windlass.sink.tray import Tray

PAGE = "<!doctype html><script>alert(1)</script>"


@pytest.fixture
def store_url(sqlite_url: str) -> str:
    """One store: mail is in none."""
    return sqlite_url


@pytest.fixture
def tray() -> Tray:
    """A tray with two messages, the second of them hostile."""
    tray = Tray(SystemClock())
    message = EmailMessage(policy=SMTP)
    message["Subject"] = "Welcome"
    message.set_content("Hello")
    message.add_alternative(PAGE, subtype="html")
    message.add_attachment(b"12345", "image", "svg+xml", filename="<b>.svg")
    tray.put("bob@example.org", ("ada@example.org",), message.as_bytes())
    hostile = f"Subject: {PAGE}\r\nContent-Type: text/html\r\n\r\n{PAGE}\xff".encode("latin-1")
    tray.put("", ("<script>@example.org",), hostile)
    return tray


@pytest.fixture
async def beside(service: Service, tray: Tray) -> AsyncIterator[aiohttp.ClientSession]:
    """A client of a service with a mail sink."""
    given = {one.name: getattr(service, one.name) for one in fields(service) if one.init}
    with_mail = Service(**{**given, "mail": tray})
    api = admission(Api(with_mail), service.gate)
    async with serving(api) as url, aiohttp.ClientSession(url) as session:
        yield session


async def asked(client: aiohttp.ClientSession, path: str) -> tuple[int, Any]:
    """A status, and what came with it."""
    async with client.get(path) as answer:
        return answer.status, await answer.json()


async def test_mail_is_listed_the_newest_first(beside: aiohttp.ClientSession) -> None:
    _, every = await asked(beside, "/mail")
    _, one = await asked(beside, "/mail?limit=1")

    assert [mail["id"] for mail in every] == ["2", "1"]
    assert every[1]["subject"] == "Welcome"
    assert (every[1]["sender"], every[1]["recipients"]) == ("bob@example.org", ["ada@example.org"])
    assert [mail["id"] for mail in one] == ["2"]


async def test_one_message_is_taken_apart(beside: aiohttp.ClientSession) -> None:
    _, read = await asked(beside, "/mail/1")

    assert {"name": "Subject", "value": "Welcome"} in read["headers"]
    assert (read["text"], read["html"]) == ("Hello\n", f"{PAGE}\n")
    assert read["attachments"] == [{"name": "<b>.svg", "media_type": "image/svg+xml", "size": 5}]
    assert read["problem"] is None


@pytest.mark.parametrize("path", ["/mail", "/mail/1", "/mail/2", "/mail/1/raw", "/mail/2/raw"])
async def test_no_message_is_ever_a_page(beside: aiohttp.ClientSession, path: str) -> None:
    async with beside.get(path, headers={"Accept": "text/html"}) as answer:
        await answer.read()

    assert answer.status == 200
    assert answer.content_type in {"application/json", "text/plain"}


async def test_the_raw_message_is_what_came_and_can_do_nothing(
    beside: aiohttp.ClientSession, tray: Tray
) -> None:
    async with beside.get("/mail/2/raw") as answer:
        raw = await answer.read()

    kept = tray.get("2")
    assert kept is not None
    assert raw == kept.content
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"


async def test_mail_that_is_deleted_is_gone(beside: aiohttp.ClientSession) -> None:
    async with beside.delete("/mail") as answer:
        pass

    assert answer.status == 204
    assert await asked(beside, "/mail") == (200, [])
    assert (await asked(beside, "/mail/1"))[0] == 404


@pytest.mark.parametrize("name", ["3", "0", "-1", "x", "1" * 5_000, "%D9%A1", "%00"])
async def test_mail_that_is_not_there_is_not_found(
    beside: aiohttp.ClientSession, name: str
) -> None:
    for path in (f"/mail/{name}", f"/mail/{name}/raw"):
        status, problem = await asked(beside, path)

        assert (status, problem["type"]) == (404, "urn:windlass:problem:unknown-mail")


async def test_the_routes_are_documented_beside_a_sink(beside: aiohttp.ClientSession) -> None:
    _, document = await asked(beside, "/openapi.json")

    assert {"/mail", "/mail/{mail_id}", "/mail/{mail_id}/raw"} <= document["paths"].keys()
    assert {"get", "delete"} == document["paths"]["/mail"].keys()
    assert "Mail" in [tag["name"] for tag in document["tags"]]
    assert [route for route in mail.ROUTES if chapter(route) is OTHER] == []


async def test_without_a_sink_there_are_none(client: aiohttp.ClientSession) -> None:
    _, document = await asked(client, "/openapi.json")

    assert (await asked(client, "/mail"))[0] == 404
    assert not [path for path in document["paths"] if path.startswith("/mail")]
