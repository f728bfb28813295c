"""An issuer's keys: fetched with care, kept while it is away, dropped when it drops them."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import BaseTestServer, TestServer
from jwt import algorithms

from tests.http.forge import Forge, Pair, jwks, pair
from tests.recorder import Recorder
from tests.store.yard import OwnClock
from windlass.core.errors import BadInput
from windlass.http.keys import LARGEST, Issuer, Keyring, KeysAway, parsed, source_of
from windlass.http.problems import Refusal
from windlass.http.tokens import Claims, Expected, Verifier
from windlass.observe.events import ChoreFailed

ISSUER, AUDIENCE = "https://id.example", "jobs"
FIRST, SECOND = ("first", "RS256"), ("second", "ES256")


class Publisher:
    """An issuer that publishes what the test says, and counts who asks."""

    def __init__(self, *pairs: Pair) -> None:
        self.text = jwks(*pairs)
        self.away = False
        self.asked = 0

    async def __call__(self) -> bytes:
        """What is published."""
        self.asked += 1
        await asyncio.sleep(0)
        if self.away:
            raise KeysAway("the issuer does not answer")
        return self.text


class Trust:
    """Somebody who trusts the publisher."""

    def __init__(self, publisher: Publisher) -> None:
        self.clock = OwnClock()
        self.recorder = Recorder()
        self.keyring = Keyring(None, Issuer(publisher, self.clock, self.recorder))
        expected = Expected(issuer=ISSUER, audience=AUDIENCE)
        self.verifier = Verifier(self.keyring, self.clock, expected)

    def token(self, by: Pair, **header: Any) -> str:
        """A token of this moment."""
        return Forge(self.clock.now_us() // 1_000_000).theirs(by, header)

    async def verify(self, by: Pair, **header: Any) -> Claims:
        """What a fresh token by this key says."""
        return await self.verifier.verify(self.token(by, **header))


@pytest.fixture
def publisher() -> Publisher:
    return Publisher(pair(*FIRST))


@pytest.fixture
def trust(publisher: Publisher) -> Trust:
    return Trust(publisher)


@pytest.mark.parametrize("algorithm", ["RS256", "ES256", "EdDSA"])
async def test_each_kind_of_key_verifies_its_own(algorithm: str) -> None:
    key = pair(f"of {algorithm}", algorithm)

    claims = await Trust(Publisher(key)).verify(key)

    assert claims.subject == "ada"


async def test_keys_are_fetched_once_for_many(publisher: Publisher, trust: Trust) -> None:
    await asyncio.gather(*(trust.verify(pair(*FIRST)) for _ in range(50)))

    assert publisher.asked == 1


async def test_a_new_key_is_found_before_the_others_have_aged(
    publisher: Publisher, trust: Trust
) -> None:
    await trust.verify(pair(*FIRST))
    publisher.text = jwks(pair(*FIRST), pair(*SECOND))

    trust.clock.advance(10)
    claims = await trust.verify(pair(*SECOND))

    assert claims.subject == "ada"


async def test_a_flood_of_unknown_keys_asks_once_in_ten_seconds(
    publisher: Publisher, trust: Trust
) -> None:
    await trust.verify(pair(*FIRST))
    trust.clock.advance(10)

    for number in range(100):
        with pytest.raises(Refusal, match="none of the issuer's"):
            await trust.verify(pair(*FIRST), kid=f"unknown {number}")

    assert publisher.asked == 2
    trust.clock.advance(10)
    with pytest.raises(Refusal):
        await trust.verify(pair(*FIRST), kid="unknown")
    assert publisher.asked == 3


async def test_a_key_that_is_no_longer_published_verifies_nothing(
    publisher: Publisher, trust: Trust
) -> None:
    token = trust.token(pair(*FIRST))
    before = await trust.keyring.edition()
    await trust.verifier.verify(token)
    publisher.text = jwks(pair(*SECOND))

    trust.clock.advance(300)

    assert await trust.keyring.edition() != before
    with pytest.raises(Refusal, match="none of the issuer's"):
        await trust.verifier.verify(token)


async def test_an_issuer_may_be_away_for_an_hour(publisher: Publisher, trust: Trust) -> None:
    await trust.verify(pair(*FIRST))
    publisher.away = True

    trust.clock.advance(3599)
    in_time = await trust.verify(pair(*FIRST))
    trust.clock.advance(1)

    assert in_time.subject == "ada"
    with pytest.raises(Refusal) as refused:
        await trust.verify(pair(*FIRST))
    assert refused.value.status == 503
    assert trust.recorder.of(ChoreFailed)


async def test_an_issuer_that_is_back_is_trusted_again(publisher: Publisher, trust: Trust) -> None:
    publisher.away = True
    with pytest.raises(Refusal, match="out of reach"):
        await trust.verify(pair(*FIRST))

    publisher.away = False
    trust.clock.advance(10)

    assert (await trust.verify(pair(*FIRST))).subject == "ada"


async def test_what_an_issuer_publishes_by_mistake_changes_nothing(
    publisher: Publisher, trust: Trust
) -> None:
    await trust.verify(pair(*FIRST))
    publisher.text = b"<html>please log in</html>"

    trust.clock.advance(300)

    assert (await trust.verify(pair(*FIRST))).subject == "ada"


async def test_a_token_that_names_no_key_is_refused_where_there_are_two() -> None:
    trust = Trust(Publisher(pair(*FIRST), pair(*SECOND)))

    with pytest.raises(Refusal, match="none of the issuer's"):
        await trust.verify(pair(*FIRST), kid=...)


@pytest.mark.parametrize(
    "change",
    [
        {"use": "enc"},
        {"alg": "RS512"},
        {"alg": "HS256"},
        {"kty": "oct", "k": "c2VjcmV0"},
        {"kty": "EC"},
        {"n": "AQAB"},
        {"n": 5},
        {"e": None},
    ],
    ids=str,
)
def test_a_key_for_another_use_is_left_out(change: dict[str, Any]) -> None:
    published = json.dumps({"keys": [{**pair(*FIRST).jwk, **change}, "no key", None]}).encode()

    with pytest.raises(KeysAway):
        parsed(published)


async def test_a_short_key_verifies_nothing() -> None:
    short = pair("short", "RS256", 1024)
    trust = Trust(Publisher(short))

    with pytest.raises(Refusal):
        await trust.verify(short)


def test_a_private_key_that_was_published_is_used_for_its_public_half_only() -> None:
    key = pair(*FIRST)
    private = json.loads(key.signer.to_jwk(key.private))

    found = parsed(json.dumps({"keys": [private]}).encode())

    [kept] = found.values()
    assert not hasattr(kept.value, "private_numbers")
    assert "d" in private


@pytest.mark.parametrize("text", [b"", b"[]", b"{}", b'{"keys": {}}', b'{"keys": []}', b"\xff"])
def test_what_is_no_set_of_keys_is_refused(text: bytes) -> None:
    with pytest.raises(KeysAway):
        parsed(text)


# --- where they are ------------------------------------------------------------------------------


@pytest.fixture
async def site() -> AsyncIterator[BaseTestServer]:
    """A web site that has the keys, and some traps."""

    async def keys(_request: web.Request) -> web.Response:
        return web.Response(body=jwks(pair(*FIRST)))

    async def moved(_request: web.Request) -> web.Response:
        raise web.HTTPFound("/keys")

    async def flood(_request: web.Request) -> web.Response:
        return web.Response(body=b" " * (LARGEST + 1))

    async def bomb(_request: web.Request) -> web.Response:
        answer = web.Response(body=b" " * (LARGEST * 100))
        answer.enable_compression()
        return answer

    app = web.Application()
    app.add_routes([web.get(f"/{one.__name__}", one) for one in (keys, moved, flood, bomb)])
    async with TestServer(app) as server:
        yield server


async def test_keys_are_fetched_from_a_url(site: BaseTestServer) -> None:
    text = await source_of(str(site.make_url("/keys")))()

    assert list(parsed(text)) == ["first"]


@pytest.mark.parametrize(
    ("path", "told"),
    [("/moved", "302"), ("/nowhere", "404"), ("/flood", "more than"), ("/bomb", "more than")],
)
async def test_a_url_that_plays_tricks_is_refused(
    site: BaseTestServer, path: str, told: str
) -> None:
    with pytest.raises(KeysAway, match=told):
        await source_of(str(site.make_url(path)))()


async def test_a_url_that_nobody_answers_is_away() -> None:
    with pytest.raises(KeysAway, match="does not answer"):
        await source_of("http://127.0.0.1:9/keys")()


async def test_no_proxy_of_the_environment_sees_the_request(
    site: BaseTestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")

    text = await source_of(str(site.make_url("/keys")))()

    assert parsed(text)


@pytest.mark.parametrize("url", ["http://id.example/keys", "ftp://id.example/keys", "http:///keys"])
def test_a_url_that_others_could_change_on_the_way_is_refused(url: str) -> None:
    with pytest.raises(BadInput, match="https"):
        source_of(url)


async def test_keys_are_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    file.write_bytes(jwks(pair(*FIRST)))

    source = source_of(str(file))
    there = await source()
    file.unlink()

    assert list(parsed(there)) == ["first"]
    with pytest.raises(KeysAway, match="cannot be read"):
        await source()


def test_a_file_that_is_not_there_is_refused_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no file"):
        source_of(str(tmp_path / "nowhere.json"))


def test_without_the_library_it_says_what_to_install(
    publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(algorithms, "has_crypto", False)

    with pytest.raises(BadInput, match=r"windlass\[jwks\]"):
        Trust(publisher)
