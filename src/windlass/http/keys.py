"""Which key verifies a token: our own secret, or a public key of whoever issues tokens for us."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import urlsplit

import msgspec
from jwt import algorithms
from jwt.api_jwk import PyJWK
from jwt.exceptions import PyJWTError

from windlass.clock import Clock
from windlass.core.errors import BadInput
from windlass.http.access import unauthenticated
from windlass.http.fresh import Ages, Fresh
from windlass.http.middleware.hosts import is_loopback
from windlass.http.problems import RETRY_SOON, Refusal
from windlass.http.secret import Secret
from windlass.http.tokens import HS256, Key
from windlass.observe.events import ChoreFailed, Observer

Source: TypeAlias = Callable[[], Awaitable[bytes]]

# The one algorithm for each kind of key; a key that is meant for another is left out.
KINDS: Mapping[tuple[str, str | None], str] = {
    ("RSA", None): "RS256",
    ("EC", "P-256"): "ES256",
    ("OKP", "Ed25519"): "EdDSA",
}
ALGORITHMS = frozenset(KINDS.values())
# What is public of a key; a set that says more than it should is not read further than this.
PUBLIC = frozenset({"kty", "crv", "n", "e", "x", "y"})

# An issuer that is away for less than an hour locks nobody out; one key in doubt asks it once.
AGES = Ages(fresh=300, between=10, good=3600)
LARGEST = 256 * 1024
MOST_KEYS = 100
TIMEOUT = 5.0


class Issued(NamedTuple):
    """The public keys of an issuer, by their ids."""

    digest: bytes
    keys: Mapping[str | None, Key]


class Keyring:
    """Every key that is trusted."""

    def __init__(self, secret: Secret | None, issuer: Issuer | None = None) -> None:
        """Trust our secret, an issuer, or both; each only by its own algorithms."""
        self._secret = None if secret is None else Key(secret.value, HS256, ours=True)
        self._issuer = issuer

    async def find(self, header: Mapping[str, Any]) -> Key:
        """The key for this header. Nothing in a token can bring a key along, or point at one."""
        algorithm = str(header.get("alg"))
        if algorithm == HS256 and self._secret is not None:
            return self._secret
        if algorithm in ALGORITHMS and self._issuer is not None:
            return await self._issuer.find(header.get("kid"), algorithm)
        raise unauthenticated("the token is not good: its algorithm is not one of those we take")

    async def edition(self) -> bytes | None:
        """Changes with the issuer's keys: what was verified by an older edition is not any more.

        None while the issuer is away for too long, which is no matter to what we signed ourselves.
        """
        if self._issuer is None:
            return b""
        try:
            return await self._issuer.edition()
        except Refusal:
            if self._secret is None:
                raise
            return None


class Issuer:
    """Somebody who issues tokens in our place, known by the keys they publish."""

    def __init__(self, source: Source, clock: Clock, observer: Observer) -> None:
        """Read the keys from `source`, when first needed."""
        if not algorithms.has_crypto:
            raise BadInput(
                "WINDLASS_JWKS needs a library that is missing; run: pip install 'windlass[jwks]'"
            )
        self._source = source
        self._observer = observer
        self._issued = Fresh(self._ask, clock, AGES)

    async def find(self, kid: str | None, algorithm: str) -> Key:
        """The key of this id, asked for anew if there is none; only for its own algorithm."""
        key = _chosen((await self._issued.get()).keys, kid)
        if key is None:
            key = _chosen((await self._issued.get(anew=True)).keys, kid)
        if key is None or key.algorithm != algorithm:
            raise unauthenticated("the token is not good: its key is none of the issuer's")
        return key

    async def edition(self) -> bytes:
        """Changes with the keys."""
        return (await self._issued.get()).digest

    async def _ask(self, last: Issued | None) -> Issued:
        try:
            text = await self._source()
            digest = sha256(text).digest()
            if last is not None and last.digest == digest:
                return last
            return Issued(digest, parsed(text))
        except KeysAway as away:
            self._observer.on(ChoreFailed("fetch the issuer's keys", str(away)))
            sentence = "the issuer's keys are out of reach; try again in a moment"
            raise Refusal(503, "keys-away", sentence, headers=(RETRY_SOON,)) from away


class KeysAway(Exception):
    """The keys of an issuer cannot be had right now, and why."""


def source_of(place: str) -> Source:
    """Where the keys are: in a file, or at a URL that nobody on the way can change."""
    if "://" not in place:
        if not Path(place).is_file():
            raise BadInput(f"WINDLASS_JWKS: there is no file {place}")
        return lambda: _from_file(Path(place))
    url = urlsplit(place)
    if url.scheme == "https" or (url.scheme == "http" and is_loopback(url.hostname or "")):
        return lambda: _from_url(place)
    raise BadInput("WINDLASS_JWKS must be a file or an https:// URL; http:// only on this machine")


def parsed(text: bytes) -> dict[str | None, Key]:
    """The usable keys of a JWK set (RFC 7517); raises `KeysAway` if there is none."""
    try:
        found = msgspec.json.decode(text, type=dict[str, Any]).get("keys")
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise KeysAway("what is published there is no JSON") from None
    if not isinstance(found, list):
        raise KeysAway("what is published there is no set of keys")
    keys = {_kid(jwk): key for jwk in found[:MOST_KEYS] if (key := _key(jwk)) is not None}
    if not keys:
        raise KeysAway("no key that is published there is for RS256, ES256 or EdDSA")
    return keys


def _chosen(keys: Mapping[str | None, Key], kid: str | None) -> Key | None:
    """The key of this id; a token that names none can only mean the only one."""
    if kid is None and len(keys) == 1:
        return next(iter(keys.values()))
    return keys.get(kid)


def _key(jwk: Any) -> Key | None:
    if not isinstance(jwk, dict) or jwk.get("use", "sig") != "sig":
        return None
    curve = jwk.get("crv")
    algorithm = KINDS.get((str(jwk.get("kty")), None if curve is None else str(curve)))
    if algorithm is None or jwk.get("alg", algorithm) != algorithm:
        return None
    public = {name: value for name, value in jwk.items() if name in PUBLIC}
    try:
        return Key(PyJWK(public, algorithm).key, algorithm, ours=False)
    except (PyJWTError, KeyError, TypeError, ValueError):
        return None


def _kid(jwk: Any) -> str | None:
    kid = jwk.get("kid") if isinstance(jwk, dict) else None
    return kid if isinstance(kid, str) else None


async def _from_file(path: Path) -> bytes:
    try:
        return await asyncio.to_thread(path.read_bytes)
    except OSError as problem:
        raise KeysAway(f"{path} cannot be read: {problem.strerror}") from None


async def _from_url(url: str) -> bytes:
    """Fetch it, as it stands there: no redirect, no proxy from the environment, no flood."""
    import aiohttp  # noqa: PLC0415 - slow to import, and most have no URL

    patience = aiohttp.ClientTimeout(total=TIMEOUT)
    try:
        async with (
            aiohttp.ClientSession(timeout=patience, trust_env=False) as session,
            session.get(url, allow_redirects=False) as response,
        ):
            if response.status != 200:  # noqa: PLR2004 - the one status that will do
                raise KeysAway(f"the issuer answered with {response.status}")
            text = b""
            async for chunk in response.content.iter_chunked(LARGEST):
                text += chunk
                if len(text) > LARGEST:
                    raise KeysAway(f"the issuer answered with more than {LARGEST} bytes")
            return text
    except (aiohttp.ClientError, TimeoutError, OSError) as problem:
        raise KeysAway(f"the issuer does not answer ({type(problem).__name__})") from None
