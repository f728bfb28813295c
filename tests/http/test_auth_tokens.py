"""Attacks on tokens, as RFC 8725 and its readers list them: one row each."""

import hmac
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from argon2 import PasswordHasher

from tests.http.forge import (
    AUDIENCE,
    ISSUER,
    SECRET,
    Forge,
    Pair,
    encoded,
    jwks,
    pair,
    url64,
)
from tests.store.yard import OwnClock
from windlass.config import load
from windlass.core.errors import BadInput, StoreAway
from windlass.http.access import Principal, Scope
from windlass.http.gate import Gate, admission
from windlass.http.passwords import Passwords
from windlass.http.problems import Refusal
from windlass.http.secret import Secret
from windlass.store.users import Revoked, SqlUsers
from windlass.wiring import Storehouse
from windlass.wiring.guarding import guard

RSA = ("first", "RS256")
DAY = 86_400


def first() -> Pair:
    """The key that the issuer publishes."""
    return pair(*RSA)


class Case(NamedTuple):
    """A token, at a gate that trusts `whom`, and what becomes of who brings it."""

    name: str
    whom: str  # ours: the secret; theirs: an issuer; both
    make: Callable[[Forge], str]
    status: int = 401


def case(name: str, make: Callable[[Forge], str], whom: str = "ours", status: int = 401) -> Case:
    return Case(name, whom, make, status)


def good(name: str, make: Callable[[Forge], str], whom: str = "ours") -> Case:
    return Case(name, whom, make, 200)


def none(algorithm: Any, signature: bytes = b"none") -> Callable[[Forge], str]:
    return lambda forge: forge.raw(
        encoded({"alg": algorithm, "typ": "JWT"}), encoded(forge.claims()), lambda _: signature
    )


def unsigned(forge: Forge) -> str:
    return forge.ours().rpartition(".")[0] + "."


def with_payload(text: bytes) -> Callable[[Forge], str]:
    return lambda forge: forge.raw(
        b'{"alg":"HS256"}', text, lambda signed: hmac.digest(SECRET.encode(), signed, "sha256")
    )


def with_expiry(written: str) -> Callable[[Forge], str]:
    """The claim `exp` exactly as written, whether or not JSON has such a thing."""
    return lambda forge: with_payload(
        b'{"sub":"ada","iat":%d,"exp":%s}' % (forge.now, written.encode())
    )(forge)


def other_payload(forge: Forge) -> str:
    header, _, signature = forge.ours().split(".")
    return f"{header}.{url64(encoded(forge.claims(scope='admin'))).decode()}.{signature}"


def with_their_public_key(secret: Callable[[], bytes]) -> Callable[[Forge], str]:
    return lambda forge: forge.ours({"kid": first().kid}, secret(), iss=ISSUER, aud=AUDIENCE)


def brought_key(forge: Forge) -> str:
    stranger = pair("stranger")
    return forge.theirs(stranger, {"kid": first().kid, "jwk": stranger.jwk})


ALGORITHMS = [
    case("alg none", none("none")),
    case("alg none, and no signature", none("none", b"")),
    case("alg None", none("None")),
    case("alg NONE", none("NONE")),
    case("alg nOnE", none("nOnE")),
    case("alg empty", none("")),
    case("alg null", none(None)),
    case("alg a number", none(5)),
    case("alg a list", none(["HS256"])),
    case("alg none at an issuer", none("none"), "theirs"),
    case("no signature", unsigned),
    case("alg HS512", lambda f: f.ours({"alg": "HS512"})),
    case("alg hs256", lambda f: f.ours({"alg": "hs256"})),
    case("no alg", lambda f: f.raw(b"{}", encoded(f.claims()), lambda _: b"x")),
    case("signed by another secret", lambda f: f.ours(secret=b"x" * 40)),
    case("signed by the empty secret", lambda f: f.ours(secret=b"")),
    case("another payload under a good signature", other_payload),
    case("HS256 by the public key as PEM", with_their_public_key(lambda: first().pem), "theirs"),
    case("the same where both are trusted", with_their_public_key(lambda: first().pem), "both"),
    case(
        "HS256 by the public key as JWK",
        with_their_public_key(lambda: encoded(first().jwk)),
        "theirs",
    ),
    case("HS256 where only an issuer is trusted", lambda f: f.ours(), "theirs"),
    case("RS256 where only the secret is trusted", lambda f: f.theirs(first())),
    case(
        "an alg that is not the key's",
        lambda f: f.theirs(pair("curve", "ES256"), {"kid": "first"}),
        "theirs",
    ),
    case("alg PS256 with a key for RS256", lambda f: f.theirs(first(), {"alg": "PS256"}), "theirs"),
]
HEADERS = [
    case("kid a path", lambda f: f.theirs(first(), {"kid": "../../dev/null"}), "theirs"),
    case("kid SQL", lambda f: f.theirs(first(), {"kid": "' or 1=1 --"}), "theirs"),
    case("kid a URL", lambda f: f.theirs(first(), {"kid": "https://evil.example/k"}), "theirs"),
    case("kid of 10 kB", lambda f: f.theirs(first(), {"kid": "k" * 10_000}), "theirs"),
    case("kid a number", lambda f: f.theirs(first(), {"kid": 5}), "theirs"),
    case("kid null", lambda f: f.theirs(first(), {"kid": None}), "theirs"),
    good("kid missing, of one key", lambda f: f.theirs(first(), {"kid": ...}), "theirs"),
    good("a kid is nothing to our secret", lambda f: f.ours({"kid": "/etc/passwd"})),
    case("a key brought along", brought_key, "theirs"),
    case(
        "jku",
        lambda f: f.theirs(pair("stranger"), {"kid": "first", "jku": "http://127.0.0.1:9/k"}),
        "theirs",
    ),
    case(
        "x5u",
        lambda f: f.theirs(pair("stranger"), {"kid": "first", "x5u": "http://127.0.0.1:9/k"}),
        "theirs",
    ),
    case("crit b64", lambda f: f.ours({"crit": ["b64"], "b64": False})),
    case("b64 false", lambda f: f.ours({"b64": False})),
    case("crit unknown", lambda f: f.ours({"crit": ["http://x"], "http://x": 1})),
    case("crit empty", lambda f: f.ours({"crit": []})),
    case("typ of another use", lambda f: f.ours({"typ": "logout+jwt"})),
    case("typ a number", lambda f: f.ours({"typ": 5})),
    good("typ at+jwt", lambda f: f.ours({"typ": "at+jwt"})),
    case(
        "at+jwt of another service",
        lambda f: f.theirs(first(), {"typ": "at+jwt"}, aud="billing"),
        "theirs",
    ),
]
CLAIMS = [
    good("in order", lambda f: f.ours()),
    case("no exp", lambda f: f.ours(exp=...)),
    case("no iat", lambda f: f.ours(iat=...)),
    case("no sub", lambda f: f.ours(sub=...)),
    case("sub empty", lambda f: f.ours(sub="")),
    case("sub a number", lambda f: f.ours(sub=5)),
    case("sub with a line break", lambda f: f.ours(sub="ada\nINFO admin logged in")),
    case("sub too long", lambda f: f.ours(sub="a" * 201)),
    case("exp a text", lambda f: with_expiry(f'"{f.now + 600}"')(f)),
    case("exp true", with_expiry("true")),
    case("exp null", with_expiry("null")),
    case("exp NaN", with_expiry("NaN")),
    case("exp Infinity", with_expiry("Infinity")),
    case("exp 1e400", with_expiry("1e400")),
    case("exp negative", with_expiry("-1")),
    case("exp 2^63", with_expiry(str(2**63))),
    good("exp with a fraction", lambda f: f.ours(exp=f.now + 0.5)),
    case("a life of 400 days", lambda f: f.ours(exp=f.now + 400 * DAY)),
    good("expired 29 s ago", lambda f: f.ours(iat=f.now - 600, exp=f.now - 29)),
    case("expired 30 s ago", lambda f: f.ours(iat=f.now - 600, exp=f.now - 30)),
    case("expired 31 s ago", lambda f: f.ours(iat=f.now - 600, exp=f.now - 31)),
    good("nbf in 30 s", lambda f: f.ours(nbf=f.now + 30)),
    case("nbf in 31 s", lambda f: f.ours(nbf=f.now + 31)),
    case("nbf a text", lambda f: f.ours(nbf="now")),
    good("iat in 30 s", lambda f: f.ours(iat=f.now + 30)),
    case("iat in 31 s", lambda f: f.ours(iat=f.now + 31)),
    good("aud in a list", lambda f: f.ours(aud=["billing", "windlass"])),
    case("aud another", lambda f: f.ours(aud="billing")),
    case("aud a list of others", lambda f: f.ours(aud=["billing", "mail"])),
    case("aud a prefix", lambda f: f.ours(aud="wind")),
    case("aud longer", lambda f: f.ours(aud="windlass2")),
    case("aud an empty list", lambda f: f.ours(aud=[])),
    case("aud a number", lambda f: f.ours(aud=5)),
    good("aud missing, signed by our secret", lambda f: f.ours(aud=..., iss=...)),
    case("aud missing, of an issuer", lambda f: f.theirs(first(), aud=...), "theirs"),
    case("iss missing, of an issuer", lambda f: f.theirs(first(), iss=...), "theirs"),
    case("iss a part", lambda f: f.theirs(first(), iss="https://id.exam"), "theirs"),
    case("iss longer", lambda f: f.theirs(first(), iss=f"{ISSUER}.evil.example"), "theirs"),
    case("iss ours, signed by an issuer", lambda f: f.theirs(first(), iss="windlass"), "theirs"),
    case("iss a list", lambda f: f.ours(iss=["windlass"])),
    case("scope a list", lambda f: f.ours(scope=["admin"])),
    case("claims a list", with_payload(b"[]")),
    case("claims no JSON", with_payload(b"{sub")),
    case("claims no UTF-8", with_payload(b'{"sub":"\xff"}')),
    case("claims nested too deep", with_payload(b'{"a":' + b"[" * 3000 + b"]" * 3000 + b"}")),
]
SHAPES = [
    case("empty", lambda _: ""),
    case("no dots", lambda _: "token"),
    case("two parts", lambda f: f.ours().rpartition(".")[0]),
    case("four parts", lambda f: f"{f.ours()}.x"),
    case("five parts", lambda f: f"{f.ours()}.x.y"),
    case("a line break at the end", lambda f: f"{f.ours()}\n"),
    case("a blank in front", lambda f: f" {f.ours()}"),
    case("a blank inside", lambda f: f.ours().replace(".", " .", 1)),
    case("padding", lambda f: f"{f.ours()}="),
    case("base64 of another alphabet", lambda f: f"{f.ours()[:-2]}+/"),
    case("100 kB", lambda f: f.ours(pad="x" * 100_000)),
    case("not ASCII", lambda f: f"{f.ours()}é"),
    case("a header that is no JSON", lambda _: f"{url64(b'{').decode()}.e30.eA"),
    case("a header that is a list", lambda _: f"{url64(b'[]').decode()}.e30.eA"),
]
ISSUED = [
    good("RS256", lambda f: f.theirs(first()), "theirs"),
    good("RS256 where both are trusted", lambda f: f.theirs(first()), "both"),
    good("HS256 where both are trusted", lambda f: f.ours(), "both"),
    case("by another key", lambda f: f.theirs(pair("stranger"), {"kid": "first"}), "theirs"),
    case("by a key that is not published", lambda f: f.theirs(pair("stranger")), "theirs"),
]
CASES = [*ALGORITHMS, *HEADERS, *CLAIMS, *SHAPES, *ISSUED]


class Gates:
    """Gates that trust one or the other, at a moment of their own."""

    def __init__(self, folder: Path) -> None:
        self.clock = OwnClock()
        self.published = folder / "keys.json"
        self.published.write_bytes(jwks(first()))
        self.folder = folder
        self.house: Storehouse | None = None

    @property
    def forge(self) -> Forge:
        """Makes tokens of this moment."""
        return Forge(self.clock.now_us() // 1_000_000)

    async def gate(self, whom: str, **settings: Any) -> Gate:
        """A gate that trusts `whom`."""
        given: dict[str, Any] = {"store": "sqlite://:memory:", **settings}
        if whom in ("ours", "both"):
            given["secret"] = SECRET
        if whom in ("theirs", "both"):
            given |= {"jwks": str(self.published), "issuer": ISSUER, "audience": AUDIENCE}
        self.house = Storehouse(load({}, self.folder, given), clock=self.clock)
        users = SqlUsers((await self.house.store()).database)
        return guard(self.house, users, self.folder, passwords=Passwords(PasswordHasher())).gate


@pytest.fixture
async def gates(tmp_path: Path) -> AsyncIterator[Gates]:
    gates = Gates(tmp_path)
    yield gates
    if gates.house is not None:
        await gates.house.close()


def request(token: str, **more: Any) -> dict[str, Any]:
    """A request that brings the token."""
    header = (b"authorization", b"Bearer " + token.encode())
    return {"type": "http", "method": "GET", "headers": [header], **more}


async def admitted(gate: Gate, token: str) -> Principal | Refusal:
    """Who is let in by the token, or why not."""
    try:
        principal = await gate.admit(request(token))
    except Refusal as refusal:
        return refusal
    assert principal is not None
    return principal


def test_there_are_enough_attacks() -> None:
    assert len({one.name for one in CASES}) == len(CASES) >= 60


@pytest.mark.parametrize("one", CASES, ids=lambda one: one.name)
async def test_a_token_gets_what_it_deserves(gates: Gates, one: Case) -> None:
    gate = await gates.gate(one.whom)
    token = one.make(gates.forge)

    answer = await admitted(gate, token)

    if isinstance(answer, Refusal):
        assert answer.status == one.status
        assert (b"www-authenticate", b"Bearer") in answer.headers
        assert len(token) < 20 or token not in answer.detail
    else:
        assert one.status == 200
        assert (answer.name, answer.by) == ("ada", "token")
        assert answer.scopes == {Scope.READ}


@pytest.mark.parametrize(
    "headers",
    [
        [(b"authorization", b"Basic YTpi")],
        [(b"authorization", b"Bearer")],
        [(b"authorization", b"Bearer ")],
        [(b"authorization", b"")],
        [(b"authorization", b"Bearer a.b.c"), (b"authorization", b"Bearer a.b.c")],
    ],
    ids=["another scheme", "no token", "an empty token", "nothing", "two"],
)
async def test_a_header_that_is_no_bearer_token_is_refused(
    gates: Gates, headers: list[tuple[bytes, bytes]]
) -> None:
    gate = await gates.gate("ours")

    with pytest.raises(Refusal) as refused:
        await gate.admit({"type": "http", "method": "GET", "headers": headers})

    assert refused.value.status == 401


async def test_a_token_in_the_query_string_shows_nothing(gates: Gates) -> None:
    gate = await gates.gate("ours")
    query = f"access_token={gates.forge.ours()}&token={gates.forge.ours()}".encode()

    principal = await gate.admit(
        {"type": "http", "method": "GET", "headers": [], "query_string": query}
    )

    assert principal is None


@pytest.mark.parametrize("audience", ["windlass", "jobs"])
async def test_our_own_tokens_are_good_whatever_is_configured(gates: Gates, audience: str) -> None:
    gate = await gates.gate("ours", issuer="https://here", audience="jobs")

    principal = await gate.admit(request(gates.forge.ours(aud=audience)))

    assert principal is not None


@pytest.mark.parametrize("left_out", ["iss", "aud"])
async def test_what_is_configured_must_be_there(gates: Gates, left_out: str) -> None:
    gate = await gates.gate("ours", issuer="https://here", audience="jobs")
    without: dict[str, Any] = {left_out: ...}

    with pytest.raises(Refusal, match="not good"):
        await gate.admit(request(gates.forge.ours(**without)))


async def test_scopes_of_others_are_nothing_to_us(gates: Gates) -> None:
    gate = await gates.gate("ours")
    token = gates.forge.ours(scope="openid profile admin jobs:write jobs:writer Admin")

    principal = await gate.admit(request(token))

    assert principal is not None
    assert principal.scopes == {Scope.ADMIN, Scope.WRITE}


async def test_a_token_that_was_seen_is_refused_when_it_has_expired(gates: Gates) -> None:
    gate = await gates.gate("ours")
    token = gates.forge.ours(exp=gates.forge.now + 60)
    assert await gate.admit(request(token))

    gates.clock.advance(89)
    still = await gate.admit(request(token))
    gates.clock.advance(1)

    assert still is not None
    with pytest.raises(Refusal, match="expired"):
        await gate.admit(request(token))


async def test_a_revoked_token_is_refused_though_it_was_seen(gates: Gates) -> None:
    gate = await gates.gate("ours")
    token, other = gates.forge.ours(jti="one"), gates.forge.ours(jti="other")
    assert await gate.admit(request(token))

    assert gates.house is not None
    users = SqlUsers((await gates.house.store()).database)
    await users.revoke("one", gates.house.settings.retention)
    gates.clock.advance(2)

    assert await gate.admit(request(other))
    with pytest.raises(Refusal, match="revoked"):
        await gate.admit(request(token))


async def test_a_store_that_is_away_refuses_only_what_needs_proof(
    gates: Gates, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(_users: SqlUsers, _since_us: int) -> Revoked:
        raise StoreAway("gone for lunch")

    seen: list[dict[str, Any]] = []

    async def app(scope: dict[str, Any], _receive: object, _send: object) -> None:
        seen.append(scope)

    monkeypatch.setattr(SqlUsers, "revoked", away)
    admitting = admission(app, await gates.gate("ours"))

    await admitting(request(gates.forge.ours()), nothing, nothing)
    await admitting({"type": "http", "method": "GET", "headers": []}, nothing, nothing)

    [with_token, without] = seen
    assert with_token["user"] is None
    assert isinstance(with_token["refused"], StoreAway)
    assert (without["user"], without["refused"]) == (None, None)


async def nothing(*_: object) -> Any:
    """What is neither received nor sent."""


async def test_a_minute_without_the_store_locks_nobody_out_who_was_in(
    gates: Gates, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = await gates.gate("ours")
    token = gates.forge.ours()
    assert await gate.admit(request(token))

    async def away(_users: SqlUsers, _since_us: int) -> Revoked:
        raise StoreAway("gone for lunch")

    monkeypatch.setattr(SqlUsers, "revoked", away)
    gates.clock.advance(59)
    still = await gate.admit(request(token))
    gates.clock.advance(1)

    assert still is not None
    with pytest.raises(StoreAway):
        await gate.admit(request(token))


async def test_an_issuer_that_is_away_locks_out_its_own_and_nobody_else(gates: Gates) -> None:
    gate = await gates.gate("both")
    gates.published.unlink()
    ours, theirs = gates.forge.ours(), gates.forge.theirs(first())

    away = [await admitted(gate, token) for token in (ours, ours, theirs)]
    gates.published.write_bytes(jwks(first()))
    gates.clock.advance(10)
    back = [await admitted(gate, token) for token in (ours, theirs)]

    assert [isinstance(one, Principal) for one in away] == [True, True, False]
    assert getattr(away[2], "status", None) == 503
    assert [isinstance(one, Principal) for one in back] == [True, True]


async def test_memory_of_tokens_is_bounded(gates: Gates, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("windlass.http.gate.MOST", 10)
    gate = await gates.gate("ours")

    for number in range(30):
        await gate.admit(request(gates.forge.ours(jti=str(number))))

    assert len(gate._seen) == 10


@pytest.mark.parametrize(
    "secret",
    ["", "short", "x" * 31, "x" * 64, "abab" * 16],
    ids=["empty", "short", "31 bytes", "one letter", "two letters"],
)
def test_a_secret_that_could_be_guessed_is_refused_at_the_start(secret: str) -> None:
    with pytest.raises(BadInput, match="openssl rand") as refused:
        Secret(secret)

    assert not secret or secret not in str(refused.value)


def test_a_public_key_is_no_secret() -> None:
    for known in (first().pem.decode(), encoded(first().jwk).decode()):
        with pytest.raises(BadInput, match="others may know"):
            Secret(known)


def test_nothing_shows_a_secret() -> None:
    shown = repr(Secret(SECRET)) + str(Secret(SECRET))

    assert SECRET not in shown
    assert "***" in shown
