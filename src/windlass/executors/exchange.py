"""A request and its answer, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


class Unreachable(Exception):
    """No answer came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A request."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How long to wait for an answer, how much of its body to read, and for how long."""

    within: float
    most: int
    reading: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer; `whole` if all of its body is here."""

    status: int
    reason: str
    headers: Mapping[str, str]
    body: bytes
    whole: bool
