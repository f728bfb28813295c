"""Who may do what: every route, for everybody who could ask."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import aiohttp
import pytest
from msgspec.structs import replace

from tests.http.asking import ask
from tests.http.conftest import serving
from windlass import Windlass
from windlass.http.access import Access, Scope
from windlass.http.app import ROUTES
from windlass.http.routing import Route
from windlass.http.secret import Secret
from windlass.http.tokens import Mint
from windlass.wiring.opening import opened

SECRET = "not-a-secret-but-long-enough-for-one"  # noqa: S105 - for these tests only
OTHER = "another-secret-that-is-long-enough-too"
WHO: dict[str, frozenset[Scope] | None] = {
    "nobody": None,
    "stranger": frozenset(),
    "reader": frozenset({Scope.READ}),
    "writer": frozenset({Scope.WRITE}),
    "admin": frozenset({Scope.ADMIN}),
}


def allowed(route: Route, who: str) -> bool:
    """Whether this route is for them, as its declaration says."""
    demand = route.access.value
    if demand is None:
        return True
    scopes = WHO[who]
    if scopes is None:
        return False
    return demand.scope is None or demand.scope in scopes or Scope.ADMIN in scopes


def place(route: Route) -> str:
    """An address of the route, where nothing is."""
    path = route.path
    for name in route.parameters:
        path = path.replace(f"{{{name}}}", "nothing")
    return path


@pytest.fixture
async def guarded(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[aiohttp.ClientSession, Mint]]:
    """A client of a service that has a secret, and what makes good tokens for it."""
    monkeypatch.chdir(tmp_path)
    app = Windlass(sqlite_url, builtins=True)
    house = app.storehouse
    settings = replace(app.settings, secret=SECRET)
    mint = Mint(Secret(SECRET), house.clock, house.chance)
    async with (
        opened(app, settings, house.observer) as (api, _),
        serving(api) as url,
        aiohttp.ClientSession(url) as client,
    ):
        yield client, mint


@pytest.mark.parametrize("who", WHO)
async def test_each_route_is_for_whom_it_says_and_for_nobody_else(
    guarded: tuple[aiohttp.ClientSession, Mint], who: str
) -> None:
    client, mint = guarded

    answers = {
        f"{route.method} {route.path}": (
            allowed(route, who),
            await status_of(client, route, shown(mint, who)) not in (401, 403),
        )
        for route in ROUTES
        if route.access is not Access.PUBLIC
    }

    assert [name for name, (wanted, let_in) in answers.items() if wanted is not let_in] == []


def shown(mint: Mint, who: str) -> dict[str, str]:
    """What they send to be known; a new token each time, for one route is to log out."""
    scopes = WHO[who]
    if scopes is None:
        return {}
    return {"Authorization": f"Bearer {mint.make(who, scopes, timedelta(minutes=5)).token}"}


async def status_of(client: aiohttp.ClientSession, route: Route, headers: dict[str, str]) -> int:
    """How the route answers; its body is not waited for, since some have no end."""
    async with client.request(route.method, place(route), headers=headers) as answer:
        return answer.status


async def test_a_token_of_another_service_opens_nothing(
    guarded: tuple[aiohttp.ClientSession, Mint],
) -> None:
    client, mint = guarded
    foreign = Mint(Secret(OTHER), mint._clock, mint.chance)
    token = foreign.make("admin", frozenset({Scope.ADMIN}), timedelta(minutes=5)).token

    status, _, problem = await ask(client, "GET", "/jobs", Authorization=f"Bearer {token}")

    assert status == 401
    assert token not in str(problem)


def test_every_change_asks_for_more_than_reading() -> None:
    unguarded = [
        f"{route.method} {route.path}"
        for route in ROUTES
        if route.method != "GET" and route.access in (Access.READ, Access.READ_WITH_TOKEN)
    ]

    assert unguarded == []


def test_what_is_public_is_known_by_name() -> None:
    public = {f"{route.method} {route.path}" for route in ROUTES if route.access is Access.PUBLIC}

    assert public == {
        "GET /",
        "GET /docs",
        "GET /docs/{file}",
        "GET /health",
        "GET /livez",
        "GET /readyz",
        "GET /ui",
        "POST /auth/login",
        "POST /auth/refresh",
    }
