"""Passwords: which may be, how they are kept, and whether one is right."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from windlass.core.errors import BadInput
from windlass.http.problems import RETRY_SOON, Refusal

T = TypeVar("T")

SHORTEST = 12
LONGEST = 1_024
# Each takes 64 MiB and a core for a tenth of a second.
AT_ONCE = 2
MOST_WAITING = 32


def hasher() -> PasswordHasher:
    """Argon2id with the second set of figures of RFC 9106, on one thread."""
    return PasswordHasher(time_cost=3, memory_cost=65_536, parallelism=1)


class Passwords:
    """Hashes and checks passwords aside, a few at once, so that nobody else has to wait."""

    def __init__(self, hashing: PasswordHasher | None = None) -> None:
        """Hash with these figures."""
        self._hasher = hashing or hasher()
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="windlass-password")
        self._waiting = 0
        self._nobodys: str | None = None

    async def hash(self, name: str, password: str) -> str:
        """The hash to keep; refuses a password that is easily guessed."""
        refuse_weak(name, normal(password))
        return await self.again(password)

    async def again(self, password: str) -> str:
        """Another hash of a password that was taken before, by whatever rules."""
        return await self._aside(lambda: self._hasher.hash(normal(password)))

    async def right(self, kept: str | None, password: str) -> bool:
        """Whether this is the password; for a user there is not it takes as long to say no."""
        return await self._aside(lambda: self._right(kept, normal(password)))

    def outdated(self, kept: str) -> bool:
        """Whether it was hashed with other figures than today's."""
        return self._hasher.check_needs_rehash(kept)

    def close(self) -> None:
        """Let the threads go, when they are done."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _right(self, kept: str | None, password: str) -> bool:
        decoy = self._decoy()
        try:
            matches = self._hasher.verify(kept or decoy, password)
        except (VerificationError, InvalidHashError):
            return False
        return matches and kept is not None

    def _decoy(self) -> str:
        if self._nobodys is None:
            self._nobodys = self._hasher.hash("the password of nobody")
        return self._nobodys

    async def _aside(self, work: Callable[[], T]) -> T:
        if self._waiting >= MOST_WAITING:
            sentence = "too many are logging in at once; try again in a moment"
            raise Refusal(503, "busy", sentence, headers=(RETRY_SOON,))
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        finally:
            self._waiting -= 1


def normal(password: str) -> str:
    """The same password, however the keyboard composed its letters."""
    return unicodedata.normalize("NFKC", password)


def refuse_weak(name: str, password: str) -> None:
    """Refuse what is guessed first."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise BadInput(f"a password has {SHORTEST} to {LONGEST} characters")
    if len(set(password)) < SHORTEST // 2 or name.lower() in password.lower():
        raise BadInput("this password is easily guessed: it has the name in it, or repeats itself")
