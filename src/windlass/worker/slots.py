"""How many attempts a process has open, and which threads it has granted."""

from __future__ import annotations

from collections.abc import Callable

from windlass.core.claim import Claim
from windlass.core.placement import granted


class Slots:
    """Counts what is taken. Threads stay taken until the attempt has ended *and* is settled.

    A worker may end before an attempt that will not; one that works here after it has the same
    slots, and so no more than is truly free.
    """

    __slots__ = (
        "_grants",
        "free_threads",
        "freed",
        "given_up",
        "limit",
        "offer",
        "running",
        "threads",
        "wanted",
    )

    def __init__(self, limit: int, threads: int) -> None:
        """Begin with everything free."""
        self.limit = limit
        self.threads = threads
        self.running = 0
        self.given_up = 0  # of those: told to end, and may never do so
        self.free_threads = threads
        # Somebody waits for a slot, and is told by `offer` when one comes free.
        self.wanted = False
        self.offer: Callable[[], None] = lambda: None
        # Told when one that was given up has ended at last.
        self.freed: Callable[[], None] = lambda: None
        self._grants: dict[tuple[str, int], tuple[int, int]] = {}  # threads, who still holds them

    def take(self) -> bool:
        """Take a slot, if one is free."""
        if self.running >= self.limit:
            self.wanted = True
            return False
        self.running += 1
        return True

    def give(self) -> None:
        """Give a slot back, to whoever stands first in line for it."""
        self.running -= 1
        if self.wanted:
            self.wanted = False
            self.offer()

    def give_up(self) -> None:
        """Wait no more for an attempt; its slot stays taken until it ends."""
        self.given_up += 1

    def ended_late(self) -> None:
        """One that was given up has ended after all."""
        self.given_up -= 1
        self.freed()

    def grant(self, claim: Claim) -> None:
        """Set threads aside for a claim that asks for some.

        The store gives a worker a job wider than itself only if it is wider than all of them.
        """
        threads = granted(claim.threads, self.threads)
        self.free_threads -= threads
        self._grants[claim.id, claim.fence] = (threads, 2)

    def threads_of(self, claim: Claim) -> int:
        """How many threads the attempt may use."""
        return self._grants.get((claim.id, claim.fence), (1, 0))[0]

    def drop(self, claim: Claim) -> None:
        """One of the two holds on the claim's threads is gone: it has ended, or it is settled."""
        key = (claim.id, claim.fence)
        grant = self._grants.pop(key, None)
        if grant is None:
            return
        threads, holds = grant
        if holds > 1:
            self._grants[key] = (threads, holds - 1)
        else:
            self.free_threads += threads
