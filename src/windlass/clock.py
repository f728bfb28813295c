"""Time, chance and identity: the ports through which everything else takes them."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Callable
from typing import Protocol, cast

import uuid_utils

from windlass.core.job import JobId


class Clock(Protocol):
    """Time as this process sees it. Decisions about jobs use the database's time instead."""

    def now_us(self) -> int:
        """Wall-clock microseconds since 1970; the time of the embedded store."""
        ...

    def monotonic(self) -> float:
        """Seconds that never run backwards, comparable between the processes of one machine."""
        ...


class Chance(Protocol):
    """Randomness for jitter and for ids."""

    def random(self) -> float:
        """A number in 0..1."""
        ...

    def job_id(self) -> JobId:
        """A new id; ids sort by the time they were made."""
        ...

    def token(self) -> str:
        """A new random id for a node or a worker."""
        ...

    def secret(self) -> str:
        """256 random bits as text, for what nobody may guess."""
        ...


class SystemClock:
    """The machine's clock."""

    # Seconds since the machine started; as it is, since each job asks several times.
    monotonic = staticmethod(time.monotonic)

    def now_us(self) -> int:
        """Microseconds since 1970."""
        return time.time_ns() // 1000


# What JobId(str(…)) makes, without the call of a function that does nothing, once for every job.
_text = cast("Callable[[object], JobId]", str)


class SystemChance:
    """The machine's randomness."""

    def random(self) -> float:
        """A number in 0..1; only spreads load, so it need not be secret."""
        return random.random()  # noqa: S311

    def job_id(self) -> JobId:
        """A UUIDv7, as text."""
        return _text(uuid_utils.uuid7())

    def token(self) -> str:
        """A UUIDv4, as text."""
        return str(uuid_utils.uuid4())

    def secret(self) -> str:
        """43 characters that are safe in URLs, headers and files."""
        return secrets.token_urlsafe(32)
