"""What a ring says, as text: a few queues by name, or that it is about everything."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from windlass.bell.base import EVERY

MAX_WORDS = 8
# PostgreSQL refuses a payload of 8,000 bytes; a datagram of this size passes everywhere.
MAX_BYTES = 7_900


def encode(words: Collection[str]) -> bytes:
    """Name up to eight; what cannot be named makes it a ring about everything."""
    if len(words) <= MAX_WORDS and EVERY not in words:
        text = msgspec.json.encode(list(words))
        if len(text) <= MAX_BYTES:
            return text
    return msgspec.json.encode([EVERY])


def decode(text: str | bytes) -> Sequence[str]:
    """Read a ring; one that makes no sense may mean anything, so it means everything."""
    try:
        return msgspec.json.decode(text, type=list[str])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return [EVERY]
