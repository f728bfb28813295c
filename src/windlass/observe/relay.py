"""Events on their way to another process, which counts them."""

from __future__ import annotations

import msgspec

from windlass.observe import events
from windlass.observe.events import Event

# What happens in a worker and is counted; all else its log has told.
KINDS: dict[str, type[Event]] = {
    kind.__name__: kind
    for kind in (
        events.WorkerStarted,
        events.WorkerStopped,
        events.Occupancy,
        events.JobsClaimed,
        events.AttemptsSettled,
        events.ClaimsLost,
        events.JobsHandedBack,
        events.ChoreFailed,
        events.BellRung,
        events.BellHeard,
        events.BellLost,
        events.RedisLost,
        events.RedisFound,
        events.RedisRefused,
    )
}


class Told(msgspec.Struct, frozen=True):
    """An event, by the name of its kind."""

    kind: str
    facts: msgspec.Raw


def packed(event: Event) -> Told | None:
    """The event as it travels; nothing if nobody counts it."""
    kind = type(event).__name__
    return Told(kind, msgspec.Raw(msgspec.json.encode(event))) if kind in KINDS else None


def unpacked(told: Told) -> Event:
    """The event that was sent."""
    event: Event = msgspec.json.decode(told.facts, type=KINDS[told.kind])
    return event
