"""Signed tokens: minting our own, and telling good ones from bad."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NamedTuple, Protocol

import msgspec
from jwt.api_jws import PyJWS
from jwt.exceptions import InvalidKeyError, InvalidSignatureError, PyJWTError

from windlass.clock import Chance, Clock
from windlass.core.errors import BadInput
from windlass.http.access import Scope, unauthenticated
from windlass.http.problems import Refusal
from windlass.http.secret import Secret

OURS = "windlass"
HS256 = "HS256"
# RFC 9068 gives access tokens a type of their own; any other says that a token is for another use.
TYPES = frozenset({"jwt", "at+jwt"})
SHAPE = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
SCOPES: Mapping[str, Scope] = {scope.value: scope for scope in Scope}
LONGEST_TOKEN = 8_192
LONGEST_NAME = 200
# Clocks of machines that keep time differ by less.
LEEWAY = 30.0
LONGEST_LIFE = timedelta(days=366)

_jws = PyJWS(options={"verify_signature": True, "enforce_minimum_key_length": True})


@dataclass(frozen=True, slots=True)
class Key:
    """What verifies a token, by the one algorithm it is for."""

    value: Any = field(repr=False)
    algorithm: str
    ours: bool  # whether we sign with it ourselves


class Keys(Protocol):
    """Finds the key of a token."""

    async def find(self, header: Mapping[str, Any]) -> Key:
        """The key for a token with this header, which anybody may have written."""
        ...


class Claims(NamedTuple):
    """What a good token says."""

    subject: str
    scopes: frozenset[Scope]
    expires: float  # seconds since 1970
    id: str | None = None
    family: str | None = None  # the login it was given to


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """Who must have issued a token, and for whom; None: we ourselves."""

    issuer: str | None = None
    audience: str | None = None


class Minted(NamedTuple):
    """A new token."""

    token: str
    id: str
    expires_in: int

    def __repr__(self) -> str:
        return f"Minted(id={self.id!r}, expires_in={self.expires_in})"


class Mint:
    """Makes tokens that are signed by our secret."""

    def __init__(self, secret: Secret, clock: Clock, chance: Chance) -> None:
        """Sign with `secret`."""
        self._secret = secret
        self._clock = clock
        self.chance = chance

    def make(
        self,
        subject: str,
        scopes: frozenset[Scope],
        life: timedelta,
        *,
        family: str | None = None,
    ) -> Minted:
        """A token for somebody, to do so much for so long."""
        _refuse_name(subject)
        if not timedelta(seconds=1) <= life <= LONGEST_LIFE:
            raise BadInput(f"a token lives from 1 s to {LONGEST_LIFE.days} d")
        now = self._clock.now_us() // 1_000_000
        seconds = int(life.total_seconds())
        said = {
            "iss": OURS,
            "aud": OURS,
            "sub": subject,
            "iat": now,
            "exp": now + seconds,
            "jti": self.chance.token(),
            "scope": " ".join(sorted(scopes)),
        }
        if family is not None:
            said["fam"] = family
        token = _jws.encode(msgspec.json.encode(said), self._secret.value, HS256)
        return Minted(token, str(said["jti"]), seconds)


class Verifier:
    """Tells good tokens from bad."""

    def __init__(self, keys: Keys, clock: Clock, expected: Expected) -> None:
        """Trust only what `keys` verify."""
        self._keys = keys
        self._clock = clock
        self._expected = expected

    async def verify(self, token: str) -> Claims:
        """What the token says; refuses one that is not good, and says why."""
        header = _header(token)
        key = await self._keys.find(header)
        payload = _payload(token, key)
        return judge(payload, key, self._expected, self._clock.now_us() / 1e6)


class Said(msgspec.Struct):
    """The claims that we read."""

    sub: str
    exp: float
    iat: float
    nbf: float | None = None
    iss: str | None = None
    aud: str | list[str] | None = None
    jti: str | None = None
    scope: str = ""
    fam: str | None = None


_said = msgspec.json.Decoder(Said)


def judge(payload: bytes, key: Key, expected: Expected, now: float) -> Claims:
    """What a well-signed token says, if it is for us, of its time, and in order."""
    try:
        said = _said.decode(payload)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise _bad("its claims sub, exp and iat must be there, and each of its kind") from None
    _refuse_time(said, now)
    _refuse_origin(said, key, expected)
    try:
        _refuse_name(said.sub)
    except BadInput as problem:
        raise _bad(str(problem)) from None
    # Only a login of ours has a family.
    family = said.fam if key.ours else None
    return Claims(said.sub, scopes_of(said.scope), said.exp, said.jti, family)


def scopes_of(text: str) -> frozenset[Scope]:
    """The scopes in a list with blanks; issuers grant others too, of which we know nothing."""
    return frozenset(SCOPES[one] for one in text.split() if one in SCOPES)


def _header(token: str) -> dict[str, Any]:
    if len(token) > LONGEST_TOKEN or not SHAPE.fullmatch(token):
        raise _bad("it has not the shape of one")
    try:
        header = _jws.get_unverified_header(token)
    except PyJWTError:
        raise _bad("it cannot be read") from None
    if "crit" in header or "b64" in header:
        raise _bad("it demands something that we do not know")
    kind = header.get("typ", "JWT")
    if not isinstance(kind, str) or kind.lower().removeprefix("application/") not in TYPES:
        raise _bad("its type says that it is for another use")
    return header


def _payload(token: str, key: Key) -> bytes:
    try:
        payload: bytes = _jws.decode(token, key.value, algorithms=[key.algorithm])
    except (InvalidSignatureError, InvalidKeyError):
        raise _bad("it was not signed with the right key") from None
    except PyJWTError:
        raise _bad("its signature cannot be checked") from None
    return payload


def _refuse_time(said: Said, now: float) -> None:
    if now >= said.exp + LEEWAY:
        raise _bad("it has expired")
    if said.iat > now + LEEWAY:
        raise _bad("it was issued in the future; are the clocks right?")
    if said.nbf is not None and said.nbf > now + LEEWAY:
        raise _bad("it is not good yet")
    if said.exp - said.iat > LONGEST_LIFE.total_seconds():
        raise _bad(f"it would live longer than {LONGEST_LIFE.days} days")


def _refuse_origin(said: Said, key: Key, expected: Expected) -> None:
    """One for another service is refused, even if it was signed by somebody we trust.

    Only whoever knows our own secret may leave out what nobody configured.
    """
    issuers, audiences = {expected.issuer or OURS}, {expected.audience or OURS}
    if key.ours:
        issuers.add(OURS)
        audiences.add(OURS)
    if said.iss not in issuers and not (key.ours and said.iss is None and expected.issuer is None):
        raise _bad("another issuer than expected issued it")
    meant = {said.aud} if isinstance(said.aud, str) else set(said.aud or ())
    optional = key.ours and said.aud is None and expected.audience is None
    if not meant & audiences and not optional:
        raise _bad("it is for another audience")


def _refuse_name(name: str) -> None:
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise BadInput(f"a name has 1 to {LONGEST_NAME} printable characters")


def _bad(why: str) -> Refusal:
    return unauthenticated(f"the token is not good: {why}")
