"""Secrets sent in, in every wrong way there is, and looked for in all that comes out."""

import io
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.http.asking import ask
from tests.http.conftest import serving
from tests.http.forge import Forge
from windlass import Windlass
from windlass.clock import SystemClock
from windlass.config import load
from windlass.observe.logs import Logs
from windlass.wiring.opening import opened

SECRET = "canary-of-the-secret-0123456789-abcdef"  # noqa: S105 - for these tests
PASSWORD = "canary of the password"  # noqa: S105 - for these tests
WRONG = "canary of a wrong password"
LOGIN = {"username": "ada", "password": PASSWORD}


class House:
    """A whole service with its log."""

    def __init__(self, client: aiohttp.ClientSession, log: io.StringIO) -> None:
        self.client = client
        self.log = log
        self.said: list[str] = []

    async def ask(self, method: str, path: str, body: object = None, **headers: str) -> Any:
        """Ask, and remember what was answered if it was refused."""
        status, _, answer = await ask(self.client, method, path, body, **headers)
        if status >= 400:
            self.said.append(f"{status} {json.dumps(answer)}")
        return answer


@pytest.fixture
async def house(
    store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[House]:
    monkeypatch.chdir(tmp_path)
    log = io.StringIO()
    settings = load({}, tmp_path, {"store": store_url, "secret": SECRET, "log": "debug"})
    app = Windlass(settings=settings, builtins=True)
    logs = Logs(log, SystemClock(), level="debug")
    async with (
        opened(app, settings, logs) as (api, service),
        serving(api) as url,
        aiohttp.ClientSession(url) as client,
    ):
        await service.accounts.people.add("ada", PASSWORD, ["jobs:read", "admin"])
        yield House(client, log)


async def test_nothing_repeats_what_opens_a_door(house: House) -> None:
    pair = await house.ask("POST", "/auth/login", LOGIN)
    token, refresh = pair["access_token"], pair["refresh_token"]
    expired = Forge(SystemClock().now_us() // 1_000_000).ours(exp=1, iat=0)
    bearer = {"Authorization": f"Bearer {token}"}

    await house.ask("POST", "/auth/login", {"username": "ada", "password": WRONG})
    await house.ask("POST", "/auth/login", {"username": "ada", "password": [WRONG]})
    await house.ask("POST", "/auth/login", {"username": "ada", WRONG: 1, "password": WRONG})
    await house.ask("POST", "/auth/users", {"username": "eve", "password": "canary"}, **bearer)
    await house.ask("GET", f"/jobs?access_token={token}")
    await house.ask("GET", "/jobs", Authorization=f"Bearer {expired}")
    await house.ask("GET", "/jobs", Authorization=f"Bearer {token}x")
    await house.ask("GET", "/jobs", Authorization=f"Basic {token}")
    await house.ask("GET", "/jobs", Cookie=f"windlass-session={refresh[:40]}")
    await house.ask("POST", "/auth/refresh", {"refresh_token": refresh})
    await house.ask("POST", "/auth/refresh", {"refresh_token": refresh})
    await house.ask("GET", "/jobs", **bearer)

    told = house.log.getvalue() + "\n".join(house.said)
    assert len(house.said) == 11, house.said
    for canary in (SECRET, PASSWORD, token, token.split(".")[2], refresh, expired):
        assert canary not in told
    assert "/auth/login" in told
    assert "Traceback" not in told
