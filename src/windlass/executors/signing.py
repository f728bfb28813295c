"""Signatures of webhooks, as standardwebhooks.com has them."""

from __future__ import annotations

import base64
import binascii
import hmac
import re
from collections.abc import Iterable, Mapping, Sequence

from windlass.core.errors import BadInput

PREFIX = "whsec_"
SHORTEST, LONGEST = 24, 64  # bytes
TOLERANCE = 5 * 60  # seconds between the clocks of sender and receiver
STAMP = re.compile(r"[0-9]{1,20}")  # Python reads no number that is much longer


class BadSignature(Exception):
    """The webhook is not from who it says, or not from now."""


class Signer:
    """Signs with the secrets of a host; several while one replaces another."""

    def __init__(self, secrets: Iterable[str]) -> None:
        """Take `whsec_…` for every host, or `host=whsec_…` for one."""
        self._keys: dict[str, list[bytes]] = {}
        for secret in secrets:
            host, _, own = secret.rpartition("=" + PREFIX)
            key = _key(PREFIX + own if host else secret)
            self._keys.setdefault(host.strip().lower(), []).append(key)

    def headers(self, host: str, message_id: str, body: bytes, now: int) -> dict[str, str]:
        """The headers that prove who sent these bytes, and when."""
        keys = self._keys.get(host.lower()) or self._keys.get("")
        if not keys:
            return {}
        signatures = (f"v1,{_signature(key, message_id, now, body)}" for key in keys)
        return {"webhook-timestamp": str(now), "webhook-signature": " ".join(signatures)}

    def __repr__(self) -> str:
        return f"<Signer for {', '.join(self._keys) or 'nobody'}>"


def verify(secrets: Sequence[str], headers: Mapping[str, str], body: bytes, now: float) -> None:
    """Raise `BadSignature` unless one of the secrets signed exactly this body, just now.

    For receivers: `headers` by their names in lower case, `body` as it came in.
    """
    message_id = headers.get("webhook-id", "")
    stamp = headers.get("webhook-timestamp", "")
    if not message_id or not STAMP.fullmatch(stamp):
        raise BadSignature("webhook-id or webhook-timestamp is missing, or is none")
    if abs(now - int(stamp)) > TOLERANCE:
        raise BadSignature("webhook-timestamp is too far from now")
    given = [said.encode() for said in headers.get("webhook-signature", "").split(" ")]
    expected = [
        f"v1,{_signature(_key(secret), message_id, int(stamp), body)}".encode()
        for secret in secrets
    ]
    # Every pair is compared, so that the time taken tells nothing.
    if not sum(hmac.compare_digest(one, other) for one in given for other in expected):
        raise BadSignature("webhook-signature does not fit")


def _signature(key: bytes, message_id: str, stamp: int, body: bytes) -> str:
    signed = f"{message_id}.{stamp}.".encode() + body
    return base64.b64encode(hmac.digest(key, signed, "sha256")).decode()


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not secret.startswith(PREFIX) or not SHORTEST <= len(key) <= LONGEST:
        # The secret itself is not told.
        raise BadInput(
            f"a webhook secret is {PREFIX} and {SHORTEST} to {LONGEST} random bytes in base64; make"
            f' one with: echo "{PREFIX}$(head -c 32 /dev/urandom | base64)"'
        )
    return key
