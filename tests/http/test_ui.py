"""How the dashboard is served: to whom, under which path, and with what it may do."""

import re
from pathlib import Path

import aiohttp
import pytest

from windlass.http import ui

PAGE = {"Accept": "text/html,application/xhtml+xml"}


@pytest.fixture
def store_url(sqlite_url: str) -> str:
    """One store: the dashboard is the same on either."""
    return sqlite_url


async def test_the_root_leads_a_browser_to_the_dashboard(client: aiohttp.ClientSession) -> None:
    async with client.get("/", headers=PAGE, allow_redirects=False) as answer:
        await answer.read()

    assert answer.status == 307
    assert answer.headers["Location"] == "ui/"  # what a proxy puts before it stays there


async def test_the_root_tells_a_program_where_everything_is(client: aiohttp.ClientSession) -> None:
    async with client.get("/", headers={"Accept": "*/*"}) as answer:
        told = await answer.json()

    assert answer.status == 200
    for place in told.values():
        async with client.get(f"/{place}") as found:
            assert found.status == 200


async def test_the_page_may_run_and_ask_nothing_but_what_is_served_with_it(
    client: aiohttp.ClientSession,
) -> None:
    async with client.get("/ui/") as answer:
        page = await answer.text()

    policy = answer.headers["Content-Security-Policy"]
    assert answer.status == 200
    assert answer.content_type == "text/html"
    assert answer.headers["Cache-Control"] == "no-cache"
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "<style" not in page
    assert re.search(r"<script(?![^>]* src=)", page) is None


@pytest.mark.parametrize(
    ("path", "up"), [("", "./"), ("jobs", "./"), ("jobs/1", "../"), ("a/b/c", "../../")]
)
async def test_every_path_has_the_page_and_tells_it_how_far_up_the_dashboard_begins(
    client: aiohttp.ClientSession, path: str, up: str
) -> None:
    async with client.get(f"/ui/{path}") as answer:
        page = await answer.text()

    assert answer.status == 200
    assert f'<base href="{up}"' in page


@pytest.mark.parametrize(
    ("takes", "packing"), [("gzip", "gzip"), ("gzip, deflate, br", "br"), ("identity", None)]
)
async def test_an_asset_is_packed_as_the_browser_can_take_it_and_kept_for_ever(
    client: aiohttp.ClientSession, takes: str, packing: str | None
) -> None:
    base = client._base_url
    async with (
        aiohttp.ClientSession(base, auto_decompress=False) as plain,
        plain.get(f"/ui/{_script()}", headers={"Accept-Encoding": takes}) as answer,
    ):
        body = await answer.read()

    ending = {"gzip": ".gz", "br": ".br", None: ""}[packing]
    assert answer.headers.get("Content-Encoding") == packing
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.headers["Vary"] == "accept-encoding"
    assert answer.content_type == "text/javascript"
    assert body == (ui.BUILT / f"{_script()}{ending}").read_bytes()


async def test_a_file_that_a_browser_has_already_is_not_sent_again(
    client: aiohttp.ClientSession,
) -> None:
    async with client.get("/ui/") as first:
        await first.read()

    async with client.get("/ui/", headers={"If-None-Match": first.headers["ETag"]}) as second:
        body = await second.read()

    assert second.status == 304
    assert body == b""


@pytest.mark.parametrize("path", ["assets/nothing.js", "assets/..%2Findex.html"])
async def test_no_other_file_is_served(client: aiohttp.ClientSession, path: str) -> None:
    async with client.get(f"/ui/{path}") as answer:
        told = await answer.json()

    assert answer.status == 404
    assert told["type"].endswith("not-found")


async def test_nothing_can_be_sent_to_a_file(client: aiohttp.ClientSession) -> None:
    async with client.post("/ui/") as answer:
        await answer.read()

    assert answer.status == 405


async def test_a_dashboard_that_is_not_built_says_how_to_build_it(
    client: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(ui, "BUILT", tmp_path)

    async with client.get("/ui/") as answer:
        words = await answer.text()

    assert answer.status == 404
    assert "script/bootstrap" in words


def _script() -> str:
    page = (ui.BUILT / ui.PAGE).read_text()
    found = re.search(r'src="\./(assets/[^"]+\.js)"', page)
    assert found is not None
    return found[1]
