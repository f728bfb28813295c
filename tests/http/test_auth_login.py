"""Logging in and out over HTTP, on both stores: by tokens that rotate, and by sessions."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from argon2 import PasswordHasher

from tests.http.asking import ask
from tests.http.conftest import serving
from tests.http.forge import SECRET, Forge
from windlass import Windlass
from windlass.clock import SystemClock
from windlass.config import load
from windlass.http.app import Api
from windlass.http.gate import admission
from windlass.http.passwords import Passwords
from windlass.http.service import Service
from windlass.http.throttle import BY_NAME
from windlass.store.users import SqlUsers
from windlass.wiring import guarding
from windlass.wiring.guarding import Guard

PASSWORD = "plenty of entropy, really"  # noqa: S105 - for these tests
ADA = {"username": "ada", "password": PASSWORD}


@pytest.fixture
async def app(store_url: str, tmp_path: Path) -> AsyncIterator[Windlass]:
    """An app whose service is guarded by a secret."""
    settings = load({}, tmp_path, {"store": store_url, "secret": SECRET})
    async with Windlass(settings=settings, builtins=True) as app:
        yield app


@pytest.fixture
async def guard(app: Windlass, tmp_path: Path) -> AsyncIterator[Guard]:
    """The guard, with passwords that cost little, and a user."""
    async with guarded(app, tmp_path) as guard:
        await guard.accounts.people.add("ada", PASSWORD, ["jobs:read"])
        await guard.accounts.people.add("root", f"{PASSWORD}!", ["admin"])
        yield guard


@asynccontextmanager
async def guarded(app: Windlass, folder: Path) -> AsyncIterator[Guard]:
    """A guard as one more process of the fleet has it."""
    store = await app.storehouse.store(connections=8)
    cheap = Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    users = SqlUsers(store.database)
    guard = guarding.guard(app.storehouse, users, folder, passwords=cheap)
    try:
        yield guard
    finally:
        guard.accounts.close()
        await store.close()


def forged(**said: Any) -> dict[str, str]:
    """A header with a token that was made outside, with our secret."""
    token = Forge(SystemClock().now_us() // 1_000_000).ours(**said)
    return {"Authorization": f"Bearer {token}"}


def bearer(answer: dict[str, Any]) -> dict[str, str]:
    return {"Authorization": f"Bearer {answer['access_token']}"}


async def logged_in(client: aiohttp.ClientSession, **more: Any) -> dict[str, Any]:
    status, _, answer = await ask(client, "POST", "/auth/login", {**ADA, **more})
    assert status == 200, answer
    return dict(answer)


async def refreshed(client: aiohttp.ClientSession, token: str) -> tuple[int, dict[str, Any]]:
    status, _, answer = await ask(client, "POST", "/auth/refresh", {"refresh_token": token})
    return status, answer


# --- tokens --------------------------------------------------------------------------------------


async def test_a_program_gets_tokens_that_let_it_in(client: aiohttp.ClientSession) -> None:
    pair = await logged_in(client)

    status, _, me = await ask(client, "GET", "/auth/me", **bearer(pair))
    assert (pair["token_type"], pair["expires_in"], pair["scope"]) == ("Bearer", 900, "jobs:read")
    assert status == 200
    assert me == {"user": "ada", "by": "token", "scopes": ["jobs:read"], "csrf_token": None}


async def test_without_a_token_nobody_is_let_in(client: aiohttp.ClientSession) -> None:
    status, headers, problem = await ask(client, "GET", "/jobs")

    assert status == 401
    assert headers["WWW-Authenticate"] == "Bearer"
    assert problem["type"] == "urn:windlass:problem:unauthenticated"


async def test_a_scope_that_is_missing_is_refused(client: aiohttp.ClientSession) -> None:
    pair = await logged_in(client)
    job = {"type": "add_numbers", "payload": {"x": 1, "y": 2}}

    read, _, _ = await ask(client, "GET", "/jobs", **bearer(pair))
    written, _, problem = await ask(client, "POST", "/jobs", job, **bearer(pair))

    assert (read, written) == (200, 403)
    assert "jobs:write" in problem["detail"]


@pytest.mark.parametrize("path", ["/auth/login", "/auth/refresh"])
async def test_a_bad_token_does_not_keep_anybody_from_logging_in(
    client: aiohttp.ClientSession, path: str
) -> None:
    pair = await logged_in(client)
    body = ADA if path == "/auth/login" else {"refresh_token": pair["refresh_token"]}

    status, _, _ = await ask(client, "POST", path, body, **forged(exp=1, iat=0))
    elsewhere, _, _ = await ask(client, "GET", "/jobs", **forged(exp=1, iat=0))

    assert (status, elsewhere) == (200, 401)


async def test_a_hash_of_older_figures_is_replaced_at_the_next_login(
    client: aiohttp.ClientSession, guard: Guard, app: Windlass
) -> None:
    older = PasswordHasher(time_cost=2, memory_cost=8, parallelism=1).hash(PASSWORD)
    store = await app.storehouse.store(connections=1)
    users = SqlUsers(store.database)
    await users.set_password("ada", older)

    await logged_in(client)

    kept = await users.user("ada")
    await store.close()
    assert kept is not None
    assert "t=1" in kept.password
    assert await logged_in(client)


@pytest.mark.parametrize(
    ("username", "password"),
    [
        ("ada", "wrong"),
        ("ada", PASSWORD + " "),
        ("Ada", PASSWORD),
        ("nobody", PASSWORD),
        ("ada' or '1'='1", PASSWORD),
        ("a\u0000da", PASSWORD),
        ("root", PASSWORD),
    ],
)
async def test_who_knows_no_name_and_password_learns_nothing(
    client: aiohttp.ClientSession, username: str, password: str
) -> None:
    wrong = {"username": username, "password": password}

    status, _, problem = await ask(client, "POST", "/auth/login", wrong)

    assert status == 401
    assert problem["detail"] == "no user has this name and this password"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"username": "ada"},
        {**ADA, "admin": True},
        {**ADA, "username": 5},
        {**ADA, "username": ""},
        {**ADA, "password": "x" * 1025},
        {**ADA, "username": "a" * 201},
        {**ADA, "session": "yes"},
    ],
)
async def test_a_login_of_another_shape_is_refused(
    client: aiohttp.ClientSession, body: dict[str, Any]
) -> None:
    status, _, problem = await ask(client, "POST", "/auth/login", body)

    assert status == 422
    assert PASSWORD not in json.dumps(problem)


async def test_a_refresh_token_is_good_once(client: aiohttp.ClientSession) -> None:
    first = await logged_in(client)

    status, second = await refreshed(client, first["refresh_token"])
    again, _ = await refreshed(client, first["refresh_token"])

    assert (status, again) == (200, 401)
    assert second["refresh_token"] != first["refresh_token"]
    assert second["access_token"] != first["access_token"]


async def test_reuse_of_a_refresh_token_ends_the_whole_login(
    client: aiohttp.ClientSession,
) -> None:
    first = await logged_in(client)
    other = await logged_in(client)
    _, second = await refreshed(client, first["refresh_token"])

    await refreshed(client, first["refresh_token"])

    stolen, _ = await refreshed(client, second["refresh_token"])
    old, _, problem = await ask(client, "GET", "/jobs", **bearer(first))
    new, _, _ = await ask(client, "GET", "/jobs", **bearer(second))
    unharmed, _, _ = await ask(client, "GET", "/jobs", **bearer(other))
    assert (stolen, old, new, unharmed) == (401, 401, 401, 200)
    assert "revoked" in problem["detail"]


async def test_of_many_refreshes_at_once_one_succeeds_and_the_login_ends(
    client: aiohttp.ClientSession,
) -> None:
    first = await logged_in(client)

    answers = await asyncio.gather(*(refreshed(client, first["refresh_token"]) for _ in range(20)))

    won = [answer for status, answer in answers if status == 200]
    assert [status for status, _ in answers].count(401) == 19
    assert len(won) == 1
    status, _ = await refreshed(client, won[0]["refresh_token"])
    assert status == 401


@pytest.mark.parametrize(
    "token",
    ["x", "a.b", "é.é", "a\u0000b.c", "00000000-0000-4000-8000-000000000000." + "x" * 43],
)
async def test_a_refresh_token_that_never_was_is_refused(
    client: aiohttp.ClientSession, token: str
) -> None:
    status, problem = await refreshed(client, token)

    assert status == 401
    assert token not in problem["detail"]


async def test_an_access_token_is_no_refresh_token_nor_the_other_way_round(
    client: aiohttp.ClientSession,
) -> None:
    pair = await logged_in(client)

    as_refresh, _ = await refreshed(client, pair["access_token"][:200])
    as_access, _, _ = await ask(
        client, "GET", "/jobs", Authorization=f"Bearer {pair['refresh_token']}"
    )

    assert (as_refresh, as_access) == (401, 401)


async def test_logging_out_takes_the_tokens_back(client: aiohttp.ClientSession) -> None:
    pair = await logged_in(client)

    status, _, _ = await ask(client, "POST", "/auth/logout", **bearer(pair))

    used, _, _ = await ask(client, "GET", "/jobs", **bearer(pair))
    renewed, _ = await refreshed(client, pair["refresh_token"])
    assert (status, used, renewed) == (204, 401, 401)


async def test_logging_out_with_a_token_of_its_own_revokes_that_one(
    client: aiohttp.ClientSession,
) -> None:
    token, other = forged(jti="one"), forged(jti="other")

    await ask(client, "POST", "/auth/logout", **token)

    used, _, _ = await ask(client, "GET", "/jobs", **token)
    unharmed, _, _ = await ask(client, "GET", "/jobs", **other)
    assert (used, unharmed) == (401, 200)


async def test_another_process_heeds_a_logout_within_seconds(
    client: aiohttp.ClientSession, app: Windlass, service: Service, tmp_path: Path
) -> None:
    pair = await logged_in(client)
    async with guarded(app, tmp_path) as elsewhere:
        scope = {
            "type": "http",
            "method": "GET",
            "headers": [(b"authorization", bearer(pair)["Authorization"].encode())],
        }
        before = await elsewhere.gate.admit(scope)

        await ask(client, "POST", "/auth/logout", **bearer(pair))
        elsewhere.gate.look_again()  # as two seconds later

        assert before is not None
        with pytest.raises(Exception, match="revoked"):
            await elsewhere.gate.admit(scope)


async def test_guessing_is_slowed_down_and_says_for_how_long(client: aiohttp.ClientSession) -> None:
    wrong = {"username": "ada", "password": "wrong"}
    tried = [await ask(client, "POST", "/auth/login", wrong) for _ in range(BY_NAME.tries)]

    status, headers, _ = await ask(client, "POST", "/auth/login", ADA)
    other = {"username": "root", "password": f"{PASSWORD}!"}
    unharmed, _, _ = await ask(client, "POST", "/auth/login", other)

    assert {answer[0] for answer in tried} == {401}
    assert status == 429
    assert 1 <= int(headers["Retry-After"]) <= 30
    assert unharmed == 200


async def test_guesses_at_once_are_counted_as_well(client: aiohttp.ClientSession) -> None:
    wrong = {"username": "ada", "password": "wrong"}

    answers = await asyncio.gather(
        *(ask(client, "POST", "/auth/login", wrong) for _ in range(BY_NAME.tries + 5))
    )

    statuses = [status for status, _, _ in answers]
    assert (statuses.count(401), statuses.count(429)) == (BY_NAME.tries, 5)


# --- sessions ------------------------------------------------------------------------------------


@pytest.fixture
async def browser(client: aiohttp.ClientSession) -> AsyncIterator[aiohttp.ClientSession]:
    """A browser: it keeps cookies, also those of a bare address."""
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(client._base_url, cookie_jar=jar) as browser:
        yield browser


async def test_a_browser_gets_a_session_that_scripts_cannot_read(
    browser: aiohttp.ClientSession,
) -> None:
    status, headers, answer = await ask(browser, "POST", "/auth/login", {**ADA, "session": True})

    name, *attributes = [part.strip() for part in headers["Set-Cookie"].split(";")]
    assert status == 200
    assert name.startswith("windlass-session=")
    assert set(attributes) == {"HttpOnly", "SameSite=Strict", "Path=/"}
    assert set(answer) == {"user", "scope", "csrf_token"}
    assert name.partition("=")[2] not in json.dumps(answer)


async def test_a_session_lets_a_browser_read(browser: aiohttp.ClientSession) -> None:
    welcome = await logged_in(browser, session=True)

    jobs, _, _ = await ask(browser, "GET", "/jobs")
    _, _, me = await ask(browser, "GET", "/auth/me")

    assert jobs == 200
    assert (me["user"], me["by"]) == ("ada", "session")
    assert me["csrf_token"] == welcome["csrf_token"]


@pytest.mark.parametrize("csrf", ["", "wrong", "of another"])
async def test_a_cookie_alone_changes_nothing(browser: aiohttp.ClientSession, csrf: str) -> None:
    if csrf == "of another":
        csrf = (await logged_in(browser, session=True))["csrf_token"]
    await logged_in(browser, session=True)
    sent = {"X-CSRF-Token": csrf} if csrf else {}

    status, _, problem = await ask(browser, "POST", "/auth/logout", **sent)

    still, _, _ = await ask(browser, "GET", "/jobs")
    assert status == 403
    assert problem["type"] == "urn:windlass:problem:csrf"
    assert still == 200


@pytest.mark.parametrize("method", ["POST", "DELETE", "PUT", "PATCH"])
async def test_every_method_that_may_change_something_needs_the_token(
    browser: aiohttp.ClientSession, method: str
) -> None:
    await logged_in(browser, session=True)

    status, _, _ = await ask(browser, method, "/auth/users/nobody")

    assert status in {403, 405}


async def test_a_session_ends_by_logging_out(browser: aiohttp.ClientSession) -> None:
    welcome = await logged_in(browser, session=True)
    cookies = list(browser.cookie_jar)

    status, headers, _ = await ask(
        browser, "POST", "/auth/logout", X_CSRF_Token=welcome["csrf_token"]
    )

    [cookie] = cookies
    kept = {"Cookie": f"{cookie.key}={cookie.value}"}
    replayed, _, _ = await ask(browser, "GET", "/jobs", **kept)
    assert status == 204
    assert "Max-Age=0" in headers["Set-Cookie"]
    assert replayed == 401


async def test_a_session_is_never_one_that_the_browser_brought(
    client: aiohttp.ClientSession,
) -> None:
    planted = "windlass-session=planted-by-somebody-who-waits-for-a-victim"

    _, headers, _ = await ask(
        client, "POST", "/auth/login", {**ADA, "session": True}, Cookie=planted
    )

    by_attacker, _, _ = await ask(client, "GET", "/jobs", Cookie=planted)
    by_victim, _, _ = await ask(client, "GET", "/jobs", Cookie=headers["Set-Cookie"])
    assert not headers["Set-Cookie"].startswith(planted)
    assert (by_attacker, by_victim) == (401, 200)


async def test_logging_in_again_ends_the_session_before(client: aiohttp.ClientSession) -> None:
    login = {**ADA, "session": True}
    _, first, _ = await ask(client, "POST", "/auth/login", login)
    before = first["Set-Cookie"]

    _, second, _ = await ask(client, "POST", "/auth/login", login, Cookie=before)

    old, _, _ = await ask(client, "GET", "/jobs", Cookie=before)
    new, _, _ = await ask(client, "GET", "/jobs", Cookie=second["Set-Cookie"])
    assert (old, new) == (401, 200)


@pytest.mark.parametrize("cookie", ["", "x", "é", "x" * 5000, "a=b=c", "'; drop table"])
async def test_a_cookie_that_never_was_shows_nothing(
    client: aiohttp.ClientSession, cookie: str
) -> None:
    sent = f"other=1; windlass-session={cookie}; more=2"

    status, _, _ = await ask(client, "GET", "/jobs", Cookie=sent)

    assert status == 401


async def test_over_tls_the_cookie_is_for_tls_alone(service: Service) -> None:
    api = admission(Api(service), service.gate)

    async def behind_tls(scope: Any, receive: Any, send: Any) -> None:
        await api({**scope, "scheme": "https"}, receive, send)

    async with serving(behind_tls) as url, aiohttp.ClientSession(url) as client:
        _, headers, _ = await ask(client, "POST", "/auth/login", {**ADA, "session": True})
        cookie, *attributes = [part.strip() for part in headers["Set-Cookie"].split(";")]
        name, _, value = cookie.partition("=")
        there, _, _ = await ask(client, "GET", "/jobs", Cookie=cookie)
        plain, _, _ = await ask(client, "GET", "/jobs", Cookie=f"windlass-session={value}")

    assert name == "__Host-windlass-session"
    assert set(attributes) == {"HttpOnly", "SameSite=Strict", "Path=/", "Secure"}
    assert (there, plain) == (200, 401)


# --- admins --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/auth/users", None),
        ("POST", "/auth/users", {"username": "eve", "password": PASSWORD, "scopes": ["admin"]}),
        ("DELETE", "/auth/users/root", None),
        ("POST", "/auth/tokens", {"subject": "eve", "scopes": ["admin"]}),
        ("DELETE", "/auth/tokens/some-id", None),
    ],
)
async def test_only_an_admin_manages_users_and_tokens(
    client: aiohttp.ClientSession, service: Service, method: str, path: str, body: Any
) -> None:
    nobody, _, _ = await ask(client, method, path, body)
    reader, _, _ = await ask(client, method, path, body, **forged(scope="jobs:read jobs:write"))
    service.gate.opened = True
    local, _, _ = await ask(client, method, path, body)

    assert (nobody, reader, local) == (401, 403, 401)


async def test_an_admin_adds_lists_and_removes_users(client: aiohttp.ClientSession) -> None:
    admin = forged(scope="admin")
    eve = {"username": "eve", "password": f"{PASSWORD}?", "scopes": ["jobs:write"]}

    added, _, user = await ask(client, "POST", "/auth/users", eve, **admin)
    again, _, _ = await ask(client, "POST", "/auth/users", eve, **admin)
    _, _, listed = await ask(client, "GET", "/auth/users", **admin)
    login, _, pair = await ask(
        client, "POST", "/auth/login", {"username": "eve", "password": f"{PASSWORD}?"}
    )
    removed, _, _ = await ask(client, "DELETE", "/auth/users/eve", **admin)
    gone, _, _ = await ask(client, "DELETE", "/auth/users/eve", **admin)
    after, _, _ = await ask(client, "GET", "/auth/me", **bearer(pair))

    assert (added, again, login, removed, gone, after) == (201, 409, 200, 204, 404, 401)
    assert (user["username"], user["scopes"]) == ("eve", ["jobs:write"])
    assert [one["username"] for one in listed] == ["ada", "eve", "root"]
    assert "argon2" not in json.dumps(listed)


async def test_a_removed_user_is_out_at_once(
    browser: aiohttp.ClientSession, client: aiohttp.ClientSession
) -> None:
    pair = await logged_in(client)
    await logged_in(browser, session=True)

    await ask(client, "DELETE", "/auth/users/ada", **forged(scope="admin"))

    token, _, _ = await ask(client, "GET", "/jobs", **bearer(pair))
    renewed, _ = await refreshed(client, pair["refresh_token"])
    session, _, _ = await ask(browser, "GET", "/jobs")
    assert (token, renewed, session) == (401, 401, 401)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"username": "Eve"}, "a user's name has"),
        ({"username": "e v e"}, "a user's name has"),
        ({"password": "short"}, "12 to 1024"),
        ({"scopes": ["everything"]}, "scopes"),
        ({"created_at": "2020-01-01T00:00:00Z"}, "unknown field"),
    ],
)
async def test_a_user_that_cannot_be_is_refused(
    client: aiohttp.ClientSession, change: dict[str, Any], told: str
) -> None:
    eve = {"username": "eve", "password": PASSWORD, **change}

    status, _, problem = await ask(client, "POST", "/auth/users", eve, **forged(scope="admin"))

    assert status == 422
    assert told in problem["detail"]


async def test_an_admin_makes_a_token_and_revokes_it(client: aiohttp.ClientSession) -> None:
    admin = forged(scope="admin")
    wanted = {"subject": "ci", "scopes": ["jobs:read"], "expires": "1h"}

    made, _, token = await ask(client, "POST", "/auth/tokens", wanted, **admin)
    good, _, me = await ask(client, "GET", "/auth/me", **bearer(token))
    revoked, _, _ = await ask(client, "DELETE", f"/auth/tokens/{token['jti']}", **admin)
    after, _, _ = await ask(client, "GET", "/auth/me", **bearer(token))

    assert (made, good, revoked, after) == (201, 200, 204, 401)
    assert (me["user"], me["scopes"], token["expires_in"]) == ("ci", ["jobs:read"], 3600)


@pytest.mark.parametrize(
    "wanted",
    [
        {"subject": "ci", "expires": "soon"},
        {"subject": "ci", "expires": "400d"},
        {"subject": "ci", "expires": "0s"},
        {"subject": "a\nb"},
        {"subject": "ci", "scopes": ["root"]},
        {"subject": "ci", "iss": "elsewhere"},
    ],
)
async def test_a_token_that_cannot_be_is_refused(
    client: aiohttp.ClientSession, wanted: dict[str, Any]
) -> None:
    status, _, _ = await ask(client, "POST", "/auth/tokens", wanted, **forged(scope="admin"))

    assert status == 422


@pytest.mark.parametrize("jti", ["%00", "%0a", "x" * 201, "%C3%A9"])
async def test_an_id_that_no_token_has_is_refused(client: aiohttp.ClientSession, jti: str) -> None:
    status, _, _ = await ask(client, "DELETE", f"/auth/tokens/{jti}", **forged(scope="admin"))

    assert status == 422


@pytest.mark.parametrize("name", ["%00", "%27", "A", "x" * 300, "%C3%A9"])
async def test_a_name_that_no_user_has_is_unknown(client: aiohttp.ClientSession, name: str) -> None:
    status, _, _ = await ask(client, "DELETE", f"/auth/users/{name}", **forged(scope="admin"))

    assert status == 404


# --- open, and secrets ---------------------------------------------------------------------------


async def test_where_it_is_open_a_token_must_still_be_good(
    client: aiohttp.ClientSession, service: Service
) -> None:
    service.gate.opened = True

    none, _, me = await ask(client, "GET", "/auth/me")
    good, _, _ = await ask(client, "GET", "/jobs", **forged())
    bad, _, _ = await ask(client, "GET", "/jobs", Authorization="Bearer a.b.c")

    assert (none, good, bad) == (200, 200, 401)
    assert (me["by"], set(me["scopes"])) == ("loopback", {"admin", "jobs:read", "jobs:write"})


async def test_nothing_that_opens_a_door_is_kept_or_shown(
    client: aiohttp.ClientSession, browser: aiohttp.ClientSession, app: Windlass, service: Service
) -> None:
    pair = await logged_in(client)
    await logged_in(browser, session=True)
    [cookie] = list(browser.cookie_jar)
    refresh = pair["refresh_token"].partition(".")[2]

    kept = await _everything_kept(app)
    shown = f"{service.accounts!r} {service.gate!r} {service.settings!r} {app.settings!r}"

    for canary in (PASSWORD, SECRET, refresh, cookie.value, pair["access_token"]):
        assert canary not in kept
        assert canary not in shown
    assert "ada" in kept


async def _everything_kept(app: Windlass) -> str:
    """All rows of the tables about access, as text."""
    tables = ("windlass_users", "windlass_sessions", "windlass_logins", "windlass_revoked")
    house = app.storehouse
    if house.address.dialect == "sqlite":
        import sqlite3  # noqa: PLC0415 - for this store only

        with closing(sqlite3.connect(house.address.place)) as connection:
            return repr([connection.execute(f"select * from {one}").fetchall() for one in tables])  # noqa: S608 - names of ours
    import asyncpg  # noqa: PLC0415 - as above

    connected = await asyncpg.connect(house.address.place)
    try:
        return repr([await connected.fetch(f"select * from {one}") for one in tables])  # noqa: S608 - names of ours
    finally:
        await connected.close()
