"""What is asked of the service, and what is heard of it: values, however they are sent."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import NamedTuple, TypeAlias, TypeVar

from msgspec import Struct, field

T = TypeVar("T")


class Request(Struct, frozen=True, kw_only=True):
    """One request; `repeatable` if a second one like it would change nothing more."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    repeatable: bool


class Answer(NamedTuple):
    """What the service said; the names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Silence(NamedTuple):
    """Nobody answered; `heard` if the request may have arrived."""

    why: str
    heard: bool


Heard: TypeAlias = Answer | Silence


class Ask(NamedTuple):
    """A request to send, so many seconds from now."""

    request: Request
    after: float = 0.0


# All that is said about one thing: it asks, is told what was heard, and comes to a value. Clients
# differ only in how they send and wait; what is said is decided in here, for all of them.
Talk: TypeAlias = Generator[Ask, Heard, T]
