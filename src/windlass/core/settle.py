"""What an attempt's end means for its job: the only place where that is decided."""

from __future__ import annotations

from typing import NamedTuple, assert_never

from windlass.core.backoff import Backoff
from windlass.core.claim import Claim
from windlass.core.duration import LONGEST
from windlass.core.job import JobId, Lane, State, WorkerId, lane_of
from windlass.core.outcome import (
    Cancelled,
    Crashed,
    Done,
    Ending,
    Failed,
    HandedBack,
    Snoozed,
)


class Settlement(NamedTuple):
    """The one change that ends an attempt; the store refuses it if its claim is stale."""

    id: JobId
    fence: int
    worker: WorkerId
    state: State
    lane: Lane
    fence_after: int  # grows when a job is given up, so that whoever gave it up cannot come back
    attempts: int
    failures: int
    crashes: int
    delay: float = 0.0
    result: str | None = None
    error: str | None = None
    trace: str | None = None
    reason: str | None = None  # why the attempt ended otherwise than well
    # Monotonic instants of the process that ran it; the store turns them into the database's time.
    started: float | None = None
    ended: float | None = None


def settle(
    claim: Claim,
    ending: Ending,
    *,
    backoff: Backoff,
    chance: float,
    started: float | None = None,
    ended: float | None = None,
) -> Settlement:
    """Turn the end of an attempt into the change it makes to the job."""
    if isinstance(ending, Done):
        return done(claim, ending.result, started, ended)
    after = Settlement(
        claim.id,
        claim.fence,
        claim.worker,
        State.COMPLETED,
        lane_of(claim.threads),
        claim.fence,
        claim.attempts,
        claim.failures,
        claim.crashes,
        started=started,
        ended=ended,
    )
    match ending:
        case Failed():
            return _failed(after, claim, ending, backoff, chance)
        case Snoozed(delay):
            return after._replace(state=State.SCHEDULED, delay=_wait(delay), reason="snoozed")
        case Cancelled():
            return after._replace(state=State.CANCELLED, reason="cancelled")
        case HandedBack():
            # Still a suspect if it was one: giving it up proves nothing about the job.
            return after._replace(
                state=State.PENDING,
                lane=claim.lane,
                fence_after=claim.fence + 1,
                reason="handed back",
            )
        case Crashed():
            return _crashed(after, claim, ending, backoff, chance)
        case _:
            assert_never(ending)


def done(
    claim: Claim, result: str | None, started: float | None = None, ended: float | None = None
) -> Settlement:
    """The settlement of an attempt that worked; apart, since nearly every attempt ends so."""
    return Settlement(
        claim.id,
        claim.fence,
        claim.worker,
        State.COMPLETED,
        claim.lane,
        claim.fence,
        claim.attempts + 1,
        claim.failures,
        claim.crashes,
        0.0,
        result,
        None,
        None,
        None,
        started,
        ended,
    )


def _failed(
    after: Settlement, claim: Claim, ending: Failed, backoff: Backoff, chance: float
) -> Settlement:
    failures = claim.failures + 1
    after = after._replace(
        attempts=claim.attempts + 1, failures=failures, error=ending.error, trace=ending.trace
    )
    if ending.final:
        return after._replace(state=State.FAILED, reason="final")
    if failures >= claim.max_attempts:
        return after._replace(state=State.FAILED, reason="attempts")
    delay = backoff.delay(failures, chance=chance, at_least=_wait(ending.retry_after or 0.0))
    return after._replace(state=State.SCHEDULED, delay=delay, reason="failed")


def _crashed(
    after: Settlement, claim: Claim, ending: Crashed, backoff: Backoff, chance: float
) -> Settlement:
    after = after._replace(fence_after=claim.fence + 1, error=ending.error, reason="crashed")
    if ending.suspect:
        after = after._replace(lane=Lane.ALONE)
    if not ending.alone:
        # A death in company accuses everyone and proves nothing: each gets to run alone, uncharged.
        return after._replace(state=State.PENDING)
    crashes = claim.crashes + 1
    after = after._replace(crashes=crashes)
    if crashes >= claim.max_crashes:
        return after._replace(state=State.FAILED, reason="crash")
    return after._replace(state=State.SCHEDULED, delay=backoff.delay(crashes, chance=chance))


def _wait(seconds: float) -> float:
    """What a handler or a server asked for, within reason; NaN asks for nothing."""
    return min(seconds, LONGEST.total_seconds()) if seconds > 0 else 0.0
