"""Makes tokens, good and bad: signed by anybody, saying anything."""

import hmac
import json
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

SECRET = "a secret of 43 characters, drawn for tests."  # noqa: S105 - for tests
ISSUER, AUDIENCE = "https://id.example", "jobs"


@dataclass(frozen=True)
class Pair:
    """A private key, its public half as a JWK, and how it signs."""

    kid: str
    algorithm: str
    private: Any
    signer: Any = field(repr=False)

    @property
    def jwk(self) -> dict[str, Any]:
        """What an issuer publishes of it."""
        public = json.loads(self.signer.to_jwk(self.private.public_key()))
        return {**public, "kid": self.kid, "use": "sig", "alg": self.algorithm}

    @property
    def pem(self) -> bytes:
        """The public half as everybody may have it."""
        return bytes(
            self.private.public_key().public_bytes(
                serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
            )
        )

    def sign(self, text: bytes) -> bytes:
        """The signature by the private half."""
        return bytes(self.signer.sign(text, self.private))


@cache
def pair(kid: str, algorithm: str = "RS256", bits: int = 2048) -> Pair:
    """A pair of keys; of each name there is one."""
    match algorithm:
        case "RS256":
            made: Any = rsa.generate_private_key(65_537, bits)
            return Pair(kid, algorithm, made, RSAAlgorithm(RSAAlgorithm.SHA256))
        case "ES256":
            made = ec.generate_private_key(ec.SECP256R1())
            return Pair(kid, algorithm, made, ECAlgorithm(ECAlgorithm.SHA256))
        case _:
            return Pair(kid, "EdDSA", ed25519.Ed25519PrivateKey.generate(), OKPAlgorithm())


def jwks(*pairs: Pair) -> bytes:
    """What an issuer publishes."""
    return json.dumps({"keys": [one.jwk for one in pairs]}).encode()


@dataclass(frozen=True)
class Forge:
    """Makes tokens at one moment."""

    now: int

    def claims(self, **other: Any) -> dict[str, Any]:
        """What a good token says, but for these; `...` leaves one out."""
        said = {
            "iss": "windlass",
            "aud": "windlass",
            "sub": "ada",
            "iat": self.now,
            "exp": self.now + 600,
            "scope": "jobs:read",
            **other,
        }
        return {name: value for name, value in said.items() if value is not ...}

    def ours(
        self, header: Mapping[str, Any] | None = None, secret: bytes = SECRET.encode(), **said: Any
    ) -> str:
        """A token signed by a secret."""
        head = {"alg": "HS256", "typ": "JWT", **(header or {})}
        return self.raw(
            encoded(head),
            encoded(self.claims(**said)),
            lambda text: hmac.digest(secret, text, "sha256"),
        )

    def theirs(self, by: Pair, header: Mapping[str, Any] | None = None, **said: Any) -> str:
        """A token signed by an issuer."""
        head = {"alg": by.algorithm, "typ": "JWT", "kid": by.kid, **(header or {})}
        head = {name: value for name, value in head.items() if value is not ...}
        claims = self.claims(**{"iss": ISSUER, "aud": AUDIENCE, **said})
        return self.raw(encoded(head), encoded(claims), by.sign)

    def raw(self, header: bytes, payload: bytes, sign: Any) -> str:
        """A token of these bytes."""
        text = b".".join((url64(header), url64(payload)))
        return b".".join((text, url64(sign(text)))).decode()


def encoded(value: object) -> bytes:
    """JSON as Python would write it, with NaN and all."""
    return json.dumps(value).encode()


def url64(data: bytes) -> bytes:
    """Base64 as tokens have it."""
    return urlsafe_b64encode(data).rstrip(b"=")
