"""What a handler knows of the attempt it is, and what it can say about it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any, Protocol

from windlass.core.claim import Claim


class Desk(Protocol):
    """Where an attempt's reports go: the worker itself, or a pipe to it from an isolated process."""

    def progress(self, claim: Claim, fraction: float, message: str | None) -> None:
        """Take note of how far the attempt has come."""
        ...

    def line(self, claim: Claim, level: str, message: str) -> None:
        """Take a log line."""
        ...

    def keep(self, claim: Claim, name: str, media_type: str, content: bytes) -> None:
        """Keep a file with the job; it is stored before the attempt is settled."""
        ...

    def cancelled(self, claim: Claim) -> bool:
        """Whether the attempt was asked to stop, or may no longer act because the lease is in doubt."""
        ...

    def transaction(self, claim: Claim, result: Callable[[], str | None]) -> Any:
        """A block that settles the attempt as `Done` in the same commit as its effects."""
        ...


class Context:
    """Handed to a handler that asks for it by annotating an argument `Context`."""

    __slots__ = ("_claim", "_desk", "_result", "threads")

    def __init__(self, claim: Claim, desk: Desk, threads: int = 1) -> None:
        """Describe one attempt; `threads` is what was really granted."""
        self._claim = claim
        self._desk = desk
        self._result: str | None = None
        self.threads = threads


Transaction = AbstractAsyncContextManager[Any] | AbstractContextManager[Any]
