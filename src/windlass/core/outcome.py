"""How an attempt ends: what an executor says happened, or what became of the process it ran in."""

from __future__ import annotations

from msgspec import Struct


class Done(Struct, frozen=True):
    """It worked. The result is JSON text."""

    result: str | None = None


class Failed(Struct, frozen=True):
    """It did not work, this time or (when `final`) ever."""

    error: str
    trace: str | None = None
    retry_after: float | None = None
    final: bool = False


class Snoozed(Struct, frozen=True):
    """It wants to be run again later, and nothing is held against it."""

    delay: float


class Cancelled(Struct, frozen=True):
    """It was asked to stop, and did."""


class HandedBack(Struct, frozen=True):
    """Its worker gave it up unfinished, through no fault of the job."""


class Crashed(Struct, frozen=True):
    """Its process died under it. `alone` when no other job ran there to take the blame.

    Not a `suspect` when what died is so much more that the job is hardly to blame.
    """

    alone: bool
    suspect: bool = True
    error: str = "the process running it died"


Outcome = Done | Failed | Snoozed | Cancelled
Ending = Outcome | HandedBack | Crashed
