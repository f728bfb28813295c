"""Locks by name in a database, written once for both."""

from __future__ import annotations

from datetime import timedelta

from windlass.store.asking import Asking
from windlass.store.locking import Grip
from windlass.store.rows import MICROSECOND

# A lock is kept this long for who waits for it, and must ask again by then: one who died, or came
# back to it at once, shall not have it instead.
TURN_US = 1_200_000


class SqlLocking(Asking):
    """Keeps locks; see `Locking` for what each verb promises.

    Each is one statement and a transaction of its own: who is stopped in the middle blocks nobody.
    """

    async def lock(self, name: str, ttl: timedelta, waiter: str | None = None) -> Grip:
        """Take the lock if it is free."""
        said = {"name": name, "waiter": waiter, "ttl_us": ttl // MICROSECOND, "turn_us": TURN_US}
        found = await self._write("lock_take", **said)
        if not found:
            await self._write("lock_open", name=name)
            found = await self._write("lock_take", **said)
        if not found:  # pruned in between: an hour had passed
            return Grip(None)
        return Grip(found[0]["token"], max(found[0]["left_us"], 0) * MICROSECOND)

    async def leave_lock(self, name: str, waiter: str) -> None:
        """Do not wait for it any longer."""
        await self._write("lock_leave", name=name, waiter=waiter)

    async def renew_lock(self, name: str, token: int, ttl: timedelta) -> bool:
        """Hold it for so long from now."""
        ttl_us = ttl // MICROSECOND
        return bool(await self._write("lock_renew", name=name, token=token, ttl_us=ttl_us))

    async def unlock(self, name: str, token: int) -> None:
        """Give it back."""
        await self._write("unlock", name=name, token=token)

    async def lapsed(self) -> int | None:
        """The database's time in µs, if by then some node has let its lease run out."""
        [row] = await self._read("lapsed")
        return int(row["now_us"]) if row["lapsed"] else None
