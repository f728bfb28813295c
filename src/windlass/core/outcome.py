"""How an attempt ends: what an executor says happened, or what became of the process it ran in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Done:
    """It worked. The result is JSON text."""

    result: str | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """It did not work, this time or (when `final`) ever."""

    error: str
    trace: str | None = None
    retry_after: float | None = None
    final: bool = False


@dataclass(frozen=True, slots=True)
class Snoozed:
    """It wants to be run again later, and nothing is held against it."""

    delay: float


@dataclass(frozen=True, slots=True)
class Cancelled:
    """It was asked to stop, and did."""


@dataclass(frozen=True, slots=True)
class HandedBack:
    """Its worker gave it up unfinished, through no fault of the job."""


@dataclass(frozen=True, slots=True)
class Crashed:
    """Its process died under it. `alone` when no other job ran there to take the blame.

    Not a `suspect` when what died is so much more that the job is hardly to blame.
    """

    alone: bool
    suspect: bool = True
    error: str = "the process running it died"


Outcome = Done | Failed | Snoozed | Cancelled
Ending = Outcome | HandedBack | Crashed
