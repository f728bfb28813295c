"""What a browser must not be made to run or to tell: scripts, pages, cookies, other sites (D6)."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.attacks.fort import Fort, standing
from tests.http.asking import PATIENCE
from windlass import Context
from windlass.http.access import Scope
from windlass.http.app import ROUTES

SCRIPTS = [
    "<img src=x onerror=alert(1)>",
    '"><svg/onload=alert(1)>',
    "</script><script>alert(1)</script>",
    "javascript:alert(1)",
    "'-alert(1)-'",
    "{{7*7}}${7*7}",
    '=HYPERLINK("http://evil.example","x")',
]
PAGES = {"/", "/docs"}
DATA = ("application/json", "application/problem+json", "text/plain", "text/event-stream")
SECRET = "not-a-secret-but-long-enough-for-one"  # noqa: S105 - for these tests only
SHOP = "https://shop.example.org"


@pytest.mark.parametrize("script", SCRIPTS)
async def test_a_script_in_a_job_comes_back_as_data(fort: Fort, script: str) -> None:
    async with fort.app.worker():
        odd = await fort.submit(
            name=script, queue=script, idempotency_key=script, payload={"what": {script: script}}
        )
        bad = await fort.submit(type="clumsy", payload={"words": script})
        done = await fort.app.wait(odd, timeout=PATIENCE)
        failed = await fort.app.wait(bad, timeout=PATIENCE)

    assert done.result == {script: script}
    assert script in (failed.error or "")
    for path in (f"/jobs/{odd}", f"/jobs/{bad}", "/jobs", f"/jobs/{bad}/attempts", "/queues"):
        heard = await fort.ask("GET", path)
        assert heard.headers["content-type"] == "application/json"
        assert heard.headers["x-content-type-options"] == "nosniff"
        assert heard.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "path",
    [
        "/<script>alert(1)</script>",
        "/jobs/<script>alert(1)</script>",
        '/queues/"onmouseover="alert(1)',
        "/types/<svg onload=alert(1)>",
        "/jobs?status=<script>alert(1)</script>",
        "/jobs?q=<script>:1",
        "/jobs?<script>=1",
        "/events?jobs=<script>",
        "/docs/<script>",
        "/docs?<script>alert(1)</script>",
    ],
)
async def test_a_script_in_an_address_is_told_as_data(fort: Fort, path: str) -> None:
    heard = await fort.ask("GET", path)

    if heard.headers["content-type"].startswith("text/html"):
        assert b"<script>alert" not in heard.body
        assert "script-src 'self'" in heard.headers["content-security-policy"]
    else:
        assert heard.headers["content-type"].startswith(DATA)
    assert heard.headers["x-content-type-options"] == "nosniff"


async def test_only_pages_are_html_and_they_say_what_may_run(fort: Fort) -> None:
    seen = {}
    for route in ROUTES:
        if route.method != "GET" or route.path == "/events":
            continue
        path = route.path
        for name in route.parameters:
            path = path.replace(f"{{{name}}}", "nothing")
        async with fort.client.get(path, allow_redirects=False) as answer:
            seen[route.path] = answer.headers

    for path, headers in seen.items():
        assert headers["x-content-type-options"] == "nosniff", path
        assert "server" not in headers, path
        assert "access-control-allow-origin" not in headers, path
        if headers.get("content-type", "").startswith("text/html"):
            assert path in PAGES
            assert "script-src 'self'" in headers["content-security-policy"]
            assert "frame-ancestors 'none'" in headers["content-security-policy"]
            assert "unsafe" not in headers["content-security-policy"]
            assert headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize(
    ("media", "told"),
    [
        ("image/png", "image/png"),
        ("text/html", "text/html"),
        ("text/html; charset=utf-8", "text/html; charset=utf-8"),
        ("image/svg+xml", "image/svg+xml"),
        ("text/javascript", "application/octet-stream"),
        ("application/ecmascript", "application/octet-stream"),
        ("TEXT/JavaScript", "application/octet-stream"),
        ("text/html\r\nSet-Cookie: windlass-session=stolen", "application/octet-stream"),
        ("text/html\nX: y", "application/octet-stream"),
        ("é/é", "application/octet-stream"),
        ("", "application/octet-stream"),
        ("x" * 500, "application/octet-stream"),
    ],
)
async def test_a_kept_file_is_saved_or_boxed_and_never_a_program_of_ours(
    fort: Fort, media: str, told: str
) -> None:
    @fort.app.job(type=f"keeper {media!r}"[:200])
    async def keeper(ctx: Context) -> None:
        ctx.keep("report", b"<script>alert(1)</script>", media)

    async with fort.app.worker():
        job_id = await fort.submit(type=f"keeper {media!r}"[:200], payload={})
        job = await fort.app.wait(job_id, timeout=PATIENCE)
    heard = await fort.ask("GET", f"/jobs/{job_id}/files/report")

    assert job.state == "completed"
    assert heard.headers["content-type"] == told
    assert heard.headers["content-disposition"] == "attachment"
    assert heard.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert heard.headers["x-content-type-options"] == "nosniff"
    assert "set-cookie" not in heard.headers
    assert "x" not in heard.headers


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "NULL",
        "",
        "http://evil.example",
        "https://shop.example.org.evil.example",
        "https://evil-shop.example.org",
        "https://evilshop.example.org",
        "https://shop.example.org:8443",
        "http://shop.example.org",
        "https://shop.example.org@evil.example",
        "https://shop.example.org/",
        "https://shop.example.org, https://evil.example",
        "https://shop.example.org https://evil.example",
        "https://SHOP.example.org.",
        "https://sub.shop.example.org",
        "file://",
        "chrome-extension://abcdef",
        "http://127.0.0.1",
        "http://localhost",
        "*",
    ],
)
async def test_no_other_site_may_ask_by_a_name_that_looks_like_ours(
    closed: Fort, origin: str
) -> None:
    headers = {
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Authorization": f"Bearer {closed.token(Scope.ADMIN)}",
    }

    for method in ("GET", "POST", "OPTIONS"):
        heard = await closed.ask(method, "/jobs", None, headers)

        assert (heard.status, heard.problem) == (403, "foreign-origin")
        assert not [name for name in heard.headers if name.startswith("access-control")]


async def test_a_site_that_may_ask_is_never_lent_a_session(closed: Fort) -> None:
    headers = {"Origin": SHOP, "Cookie": "windlass-session=x"}

    heard = await closed.ask("GET", "/jobs", None, headers)

    assert heard.status == 401
    assert heard.headers["access-control-allow-origin"] == SHOP
    assert "access-control-allow-credentials" not in heard.headers


async def test_a_session_is_kept_from_scripts_and_from_other_sites(closed: Fort) -> None:
    await closed.service.accounts.add("ada", "correct horse battery staple", [Scope.READ])
    body = {"username": "ada", "password": "correct horse battery staple", "session": True}

    heard = await closed.ask("POST", "/auth/login", body)

    cookie = heard.headers["set-cookie"]
    name, *flags = cookie.split("; ")
    assert name.startswith("windlass-session=")
    assert set(flags) == {"Path=/", "HttpOnly", "SameSite=Strict"}
    assert name.partition("=")[2] not in heard.body.decode()


@pytest.fixture(scope="module")
async def closed(tmp_path_factory: pytest.TempPathFactory, folder: Path) -> AsyncIterator[Fort]:
    """A service with a secret, which one other site may ask."""
    url = f"sqlite:///{tmp_path_factory.mktemp('closed') / 'windlass.db'}"
    async with standing(url, secret=SECRET, origins=(SHOP,)) as fort:
        yield fort
