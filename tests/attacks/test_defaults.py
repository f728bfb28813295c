"""What somebody gets who sets nothing: closed to others, silent about itself (D10)."""

import os
import signal
import stat
from pathlib import Path

import psutil
import pytest

from tests.attacks.fort import Fort, standing
from tests.cli.standing import Standing
from tests.cli.standing import standing as started
from tests.cli.terminal import Terminal
from windlass.config import Settings, load
from windlass.http.access import Scope
from windlass.http.app import ROUTES

SECRET = "not-a-secret-but-long-enough-for-one"  # noqa: S105 - for these tests only
OPEN = "0.0.0.0"  # noqa: S104 - to be refused
# Nothing that tells what runs here, or in which version.
BANNERS = ("uvicorn", "python", "httptools", "windlass/", "asyncpg", "sqlite")


@pytest.fixture
def bare(tmp_path: Path) -> Terminal:
    """A shell in which nothing is set."""
    terminal = Terminal(tmp_path, "")
    for name in [name for name in terminal.env if name.startswith("WINDLASS_")]:
        del terminal.env[name]
    return terminal


def test_what_is_set_by_nobody_is_safe(tmp_path: Path) -> None:
    settings = load({}, tmp_path)

    assert settings.host == "127.0.0.1"
    assert (settings.open, settings.unsafe, settings.log) == (False, False, "info")
    assert (settings.origins, settings.hosts, settings.webhook_allow) == ((), (), ())
    assert settings.secret is None
    assert settings.body_limit < 2 << 20
    assert settings.request_timeout.total_seconds() == 30


async def test_files_are_for_this_account_only_whatever_the_umask(bare: Terminal) -> None:
    mask = os.umask(0)
    try:
        async with started(bare, "up", workers=1) as server:
            await server.ask("POST", "/jobs", {"type": "add_numbers", "payload": {"x": 1, "y": 2}})
            found = _modes(bare.folder / ".windlass")
            listening = _listening(server)
            server.signal(signal.SIGTERM)
            await server.ended()
    finally:
        os.umask(mask)

    assert {"windlass.db", "secret"} <= found.keys()
    assert {name: oct(mode) for name, mode in found.items() if mode & 0o077} == {}
    assert stat.S_IMODE((bare.folder / ".windlass").stat().st_mode) == 0o700
    assert {address for address, _ in listening} == {"127.0.0.1"}


def _modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.lstat().st_mode) for path in folder.rglob("*")}


def _listening(server: Standing) -> set[tuple[str, int]]:
    """Where it and its workers take connections."""
    family = [psutil.Process(server.pid), *server.family()]
    return {
        (one.laddr.ip, one.laddr.port)
        for process in family
        for one in process.net_connections("inet")
        if one.status == psutil.CONN_LISTEN
    }


@pytest.mark.parametrize(("word", "host"), [("up", OPEN), ("serve", "::"), ("serve", "10.0.0.1")])
def test_an_address_that_others_reach_needs_a_secret(bare: Terminal, word: str, host: str) -> None:
    said = bare(word, "--host", host, "--port", "0")

    assert said.code != 0
    assert "WINDLASS_SECRET" in said.err
    assert not (bare.folder / ".windlass").exists()


@pytest.mark.parametrize("secret", ["guessable", "a" * 64])
def test_a_secret_that_can_be_guessed_is_none(bare: Terminal, secret: str) -> None:
    said = bare("serve", "--host", OPEN, "--port", "0", WINDLASS_SECRET=secret)

    assert said.code != 0
    assert secret not in said.err


async def test_with_a_secret_all_but_health_and_login_is_closed(tmp_path: Path) -> None:
    async with standing(f"sqlite:///{tmp_path / 'w.db'}", secret=SECRET, host=OPEN) as fort:
        paths = [route.path for route in ROUTES if route.method == "GET"]
        closed = {path: (await fort.ask("GET", path)).status for path in paths}

    told = {path for path, status in closed.items() if status not in (401, 404)}
    assert {"/metrics", "/openapi.json", "/events", "/jobs", "/stats"} & told == set()
    assert {"/health", "/livez", "/readyz"} <= told


async def test_nobody_is_there_before_somebody_is_added(tmp_path: Path) -> None:
    guesses = ["admin", "windlass", "root", "password", "changeme", ""]
    async with standing(f"sqlite:///{tmp_path / 'w.db'}", secret=SECRET) as fort:
        users = await fort.ask(
            "GET", "/auth/users", None, {"Authorization": f"Bearer {fort.token(Scope.ADMIN)}"}
        )
        statuses = {
            (
                await fort.ask("POST", "/auth/login", {"username": name, "password": name or "x"})
            ).status
            for name in guesses
        }

    assert users.json == []
    assert statuses <= {401, 422, 429}


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/livez", None),
        ("GET", "/nowhere", None),
        ("GET", "/jobs/none", None),
        ("POST", "/jobs", b"{"),
        ("POST", "/jobs", b'{"type": "nonsense"}'),
        ("DELETE", "/health", None),
        ("GET", "/jobs?limit=x", None),
        ("GET", "/metrics", None),
        ("GET", "/debug", None),
        ("GET", "/console", None),
        ("GET", "/.env", None),
        ("GET", "/.git/config", None),
        ("GET", "/docs/..%2f..%2f..%2fpyproject.toml", None),
    ],
)
async def test_no_answer_tells_what_runs_here_or_how_it_failed(
    fort: Fort, method: str, path: str, body: bytes | None
) -> None:
    heard = await fort.ask(method, path, body)

    headers = str(heard.headers).lower()
    assert [name for name in ("server", "x-powered-by", "via") if name in heard.headers] == []
    assert [banner for banner in BANNERS if banner in headers] == []
    assert b"Traceback" not in heard.body
    assert b'.py"' not in heard.body
    assert b"site-packages" not in heard.body
    if heard.status >= 400:
        assert set(heard.json) <= {"type", "title", "status", "detail", "request_id", "errors"}


async def test_what_breaks_is_a_problem_without_a_stack(
    fort: Fort, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken() -> None:
        raise ZeroDivisionError("somewhere inside")

    monkeypatch.setattr(fort.app, "stats", broken)

    heard = await fort.ask("GET", "/stats")

    assert (heard.status, heard.problem) == (500, "internal")
    assert b"inside" not in heard.body
    assert len(fort.broken()) == 1
    fort.recorder.events.clear()


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "169.254.169.254"])
async def test_another_name_for_loopback_opens_nothing(fort: Fort, host: str) -> None:
    heard = await fort.ask("GET", "/jobs", None, {"Host": host})

    assert (heard.status, heard.problem) == (421, "wrong-host")


def test_a_setting_that_is_secret_is_never_shown() -> None:
    settings = Settings(
        secret=SECRET,
        store="postgresql://u:hush@h/d",
        smtp_url="smtp://u:hush@h",
        webhook_secrets=("hush",),
    )

    assert SECRET not in repr(settings)
    assert "hush" not in repr(settings)
