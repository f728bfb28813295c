"""Where the attempts of this process report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from windlass.core.errors import ClaimLost
from windlass.store.records import Kept
from windlass.worker.attempt import Attempt
from windlass.worker.lease import Lease
from windlass.worker.pools import Helpers
from windlass.worker.transaction import Block, Opener


class LocalDesk:
    """The desk of one attempt that runs on the worker's loop or in one of its threads."""

    __slots__ = ("_attempt", "_helpers", "_lease", "_notes", "_opener")

    def __init__(self, attempt: Attempt, lease: Lease, opener: Opener, helpers: Helpers) -> None:
        """Take reports about `attempt`."""
        self._attempt = attempt
        self._lease = lease
        self._notes = opener.notes
        self._opener = opener
        self._helpers = helpers

    def cancelled(self) -> bool:
        """Whether the attempt is to stop."""
        return self._attempt.told is not None or not self._lease.trusted()

    def progress(self, fraction: float, message: str | None) -> None:
        """Take note of how far it has come."""
        self._notes.progress(self._attempt.claim, fraction, message)

    def log(self, level: str, message: str) -> None:
        """Take a log line."""
        self._notes.line(self._attempt.claim, level, message)

    def keep(self, name: str, media_type: str, content: bytes) -> None:
        """Keep a file with the job."""
        self._notes.keep(
            self._attempt.claim, Kept(name=name, media_type=media_type, content=content)
        )

    def share(self, work: Callable[[Any], Any], chunks: Sequence[Any], at_once: int) -> list[Any]:
        """Have helpers work on the chunks."""
        return self._helpers.share(work, chunks, at_once, self.cancelled)

    def transaction(self, result: Callable[[], Any]) -> Block:
        """A block that settles the attempt; refused once others may act for this worker."""
        if not self._lease.trusted():
            raise ClaimLost("the lease is in doubt, so that another worker may run this job by now")
        return self._opener.open(self._attempt, result)
