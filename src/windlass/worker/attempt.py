"""One attempt while it runs."""

from __future__ import annotations

from enum import Enum
from typing import assert_never

from windlass.core.backoff import DEFAULT_BACKOFF, Backoff
from windlass.core.claim import Claim
from windlass.core.job import Policy
from windlass.core.outcome import Cancelled, HandedBack
from windlass.executors.base import Executor
from windlass.executors.context import Context
from windlass.store import rows


class Told(Enum):
    """Why an attempt was told to stop."""

    CANCEL = "somebody asked"
    STOP = "its worker stops"
    LEASE = "its worker may no longer act"

    @property
    def ending(self) -> Cancelled | HandedBack:
        """How an attempt ends that did as it was told."""
        match self:
            case Told.CANCEL:
                return Cancelled()
            case Told.STOP | Told.LEASE:
                return HandedBack()
            case _:
                assert_never(self)


class Attempt:
    """A claim with all that is needed to run it. Not frozen: one is made for every job."""

    __slots__ = (
        "abandoned",
        "claim",
        "context",
        "executor",
        "policy",
        "settled",
        "started",
        "told",
    )

    def __init__(self, claim: Claim, executor: Executor, started: float) -> None:
        """Begin now."""
        self.claim = claim
        self.executor = executor
        self.started = started
        self.context: Context | None = None
        self.told: Told | None = None
        # Settled by its own transaction, or given up by a worker that could not wait for it: what
        # it still does or raises changes nothing.
        self.settled = False
        self.abandoned = False
        self.policy: Policy | None = None if claim.policy is None else rows.policy(claim.policy)

    @property
    def timeout(self) -> float | None:
        """Seconds it may take: as its job says, or else its executor."""
        policy = self.policy
        if policy is not None and policy.timeout is not None:
            return policy.timeout
        return self.executor.timeout

    @property
    def backoff(self) -> Backoff:
        """How long to wait after a failure: as its job says, its executor, or else as usual."""
        policy = self.policy
        if policy is not None and policy.backoff is not None:
            return policy.backoff
        return self.executor.backoff or DEFAULT_BACKOFF
