"""A request and its answer, as values."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct


class Unreachable(Exception):
    """No answer came."""


class Message(Struct, frozen=True, kw_only=True):
    """A request."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes = b""


class Terms(Struct, frozen=True, kw_only=True):
    """How long to wait for an answer, how much of its body to read, and for how long."""

    within: float
    most: int
    reading: float


class Reply(Struct, frozen=True, kw_only=True):
    """An answer; `whole` if all of its body is here."""

    status: int
    reason: str
    headers: Mapping[str, str]
    body: bytes
    whole: bool
