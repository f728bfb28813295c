"""Runs one attempt and says how it ended: the place where whatever a handler does is caught."""

from __future__ import annotations

import asyncio
from typing import Any

from windlass.core.errors import BadPayload, BadResult, Busy, ClaimLost, StoreAway
from windlass.core.outcome import Cancelled, Done, Ending, Failed, HandedBack, Snoozed
from windlass.executors.base import Cancel, Discard, Retry, Snooze
from windlass.worker.attempt import Attempt
from windlass.worker.wording import error_text, error_trace, verdict_text

# A handler that calls sys.exit() has failed; it does not end the worker and all that runs there.
WHATEVER = (Exception, SystemExit, BaseExceptionGroup)
# What is tried again once the store is back, or has time; not a failure of the job.
STORE_PAUSE = 1.0

DONE = Done()


async def run_on_loop(attempt: Attempt) -> Ending:
    """Run a coroutine; only what is to end the process gets out."""
    timeout = attempt.timeout
    try:
        if timeout is not None:
            return await _run_within(attempt, timeout)
        value = await attempt.executor.call(attempt.claim.payload, attempt.context)
        return DONE if value is None and attempt.context is None else _done(attempt, value)
    except asyncio.CancelledError as error:
        # If nobody told it to stop, it waited for something that was cancelled elsewhere.
        return attempt.told.ending if attempt.told is not None else ending_of(error)
    except WHATEVER as error:
        return ending_of(error)


def run_plain(attempt: Attempt) -> Ending:
    """Run a plain function; only what is to end the process, or interrupts it, gets out."""
    if attempt.told is not None:
        return attempt.told.ending
    try:
        value = attempt.executor.call(attempt.claim.payload, attempt.context)
        return DONE if value is None and attempt.context is None else _done(attempt, value)
    except WHATEVER as error:
        return ending_of(error)


def run_in_thread(attempt: Attempt) -> Ending:
    """Run a plain function in a thread, which nothing may end."""
    try:
        return run_plain(attempt)
    except BaseException as error:  # noqa: BLE001 — not even an interrupt is for a thread to act on
        return ending_of(error)


def timed_out(timeout: float, besides: str = "") -> Failed:
    """The end of an attempt that took too long."""
    return Failed(f"timed out after {timeout:g} s{besides}")


def ending_of(error: BaseException) -> Ending:
    """What an error of a handler means for its attempt."""
    ending: Ending
    match error:
        case Snooze():
            ending = Snoozed(error.delay)
        case Cancel():
            ending = Cancelled()
        case Discard():
            ending = Failed(verdict_text(error), trace=error_trace(error), final=True)
        case Retry():
            ending = Failed(verdict_text(error), trace=error_trace(error), retry_after=error.after)
        case BadPayload() | BadResult():
            # It would not fit the next time either.
            ending = Failed(error_text(error), final=True)
        case ClaimLost():
            ending = HandedBack()
        case StoreAway() | Busy():
            ending = Snoozed(STORE_PAUSE)
        case _:
            ending = Failed(error_text(error), trace=error_trace(error))
    return ending


async def _run_within(attempt: Attempt, timeout: float) -> Ending:
    scope = asyncio.timeout(timeout)
    try:
        async with scope:
            value = await attempt.executor.call(attempt.claim.payload, attempt.context)
    except TimeoutError as error:
        return timed_out(timeout) if scope.expired() else ending_of(error)
    return _done(attempt, value)


def _done(attempt: Attempt, value: Any) -> Done:
    if value is None and attempt.context is not None:
        value = attempt.context.given()
    return Done(attempt.executor.encode(value))
