"""What a worker and an isolated process say to each other, and how it is framed."""

from __future__ import annotations

import struct
from typing import Any, TypeAlias

import msgspec

from windlass.core.claim import Claim
from windlass.core.outcome import (
    Cancelled,
    Crashed,
    Done,
    Ending,
    Failed,
    HandedBack,
    Snoozed,
)

LENGTH = struct.Struct("!I")

ENDINGS: dict[str, Any] = {
    kind.__name__: kind for kind in (Done, Failed, Snoozed, Cancelled, HandedBack, Crashed)
}


class Run(msgspec.Struct, tag="run", frozen=True):
    """Run an attempt."""

    claim: Claim
    threads: int
    memory_limit: int | None


class Flushed(msgspec.Struct, tag="flushed", frozen=True):
    """All that was said before `Flush` is kept."""


class Ready(msgspec.Struct, tag="ready", frozen=True):
    """The application is imported; attempts may come."""


class Unready(msgspec.Struct, tag="unready", frozen=True):
    """The application cannot be imported."""

    error: str


class Advance(msgspec.Struct, tag="progress", frozen=True):
    """How far the attempt has come."""

    fraction: float
    message: str | None


class Said(msgspec.Struct, tag="said", frozen=True):
    """A log line."""

    level: str
    message: str


class File(msgspec.Struct, tag="file", frozen=True):
    """A file to keep."""

    name: str
    media_type: str
    content: bytes


class Flush(msgspec.Struct, tag="flush", frozen=True):
    """Keep all that was said, then answer."""


class Committed(msgspec.Struct, tag="committed", frozen=True):
    """The attempt's own transaction has settled it."""


class Over(msgspec.Struct, tag="over", frozen=True):
    """The attempt has ended."""

    kind: str
    facts: msgspec.Raw
    started: float
    ended: float

    def ending(self) -> Ending:
        """How it ended."""
        ending: Ending = msgspec.json.decode(self.facts, type=ENDINGS[self.kind])
        return ending


ToChild: TypeAlias = Run | Flushed
FromChild: TypeAlias = Ready | Unready | Advance | Said | File | Flush | Committed | Over

_to_child: msgspec.json.Decoder[ToChild] = msgspec.json.Decoder(ToChild)
_from_child: msgspec.json.Decoder[FromChild] = msgspec.json.Decoder(FromChild)
_encode = msgspec.json.Encoder().encode


def framed(message: ToChild | FromChild) -> bytes:
    """The message with its length before it."""
    text = _encode(message)
    return LENGTH.pack(len(text)) + text


def read_to_child(text: bytes) -> ToChild:
    """A message to the isolated process."""
    return _to_child.decode(text)


def read_from_child(text: bytes) -> FromChild:
    """A message from the isolated process."""
    return _from_child.decode(text)


def over(ending: Ending, started: float, ended: float) -> Over:
    """The message that an attempt has ended."""
    return Over(type(ending).__name__, msgspec.Raw(_encode(ending)), started, ended)
