"""Locks by name, as the store's own database keeps them."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple, Protocol


class Grip(NamedTuple):
    """The token under which a lock was taken; or none, and for how long it is taken at most."""

    token: int | None
    left: timedelta = timedelta(0)


class Locking(Protocol):
    """Locks that last for a time by the database's clock, and are held under growing tokens."""

    async def lock(self, name: str, ttl: timedelta, waiter: str | None = None) -> Grip:
        """Take the lock if it is free. No two ever hold it at once.

        Its token is higher than that of every holder before. A `waiter` who gets nothing may be
        the next to get it, if it asks again within a second.
        """
        ...

    async def leave_lock(self, name: str, waiter: str) -> None:
        """Do not wait for it any longer."""
        ...

    async def renew_lock(self, name: str, token: int, ttl: timedelta) -> bool:
        """Hold it for so long from now; refused, with false, once it has ended."""
        ...

    async def unlock(self, name: str, token: int) -> None:
        """Give it back; changes nothing if it has ended."""
        ...

    async def lapsed(self) -> int | None:
        """The database's time in µs, if by then some node has let its lease run out."""
        ...
