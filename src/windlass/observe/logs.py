"""Events as log lines: JSON where a program reads them, colours where a person does."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, TextIO, TypeAlias

from windlass.clock import Clock
from windlass.core.secrets import without_secrets
from windlass.observe import events
from windlass.observe.events import (
    BellLost,
    ChoreFailed,
    Connected,
    Event,
    RedisRefused,
    RequestServed,
)
from windlass.observe.request_lines import RequestLines

Line: TypeAlias = dict[str, Any]
Renderer: TypeAlias = "Callable[[Level, Line], str]"
Level = Literal["debug", "info", "warning", "error"]
RANKS: Mapping[Level, int] = {"debug": 10, "info": 20, "warning": 30, "error": 40}

# While a database is away every chore fails every second; one line in a while says it as well.
REPEAT_AFTER_US = 10_000_000


class Saying(NamedTuple):
    """How an event is told, and how much it matters."""

    level: Level
    message: str


SAYINGS: Mapping[type[Event], Saying] = {
    events.Connected: Saying("info", "connected"),
    events.Advised: Saying("warning", "advice"),
    events.ExecutorBroken: Saying("warning", "type of job cannot be had"),
    events.NodeJoined: Saying("info", "node joined"),
    events.NodeForgotten: Saying("error", "node forgotten by the fleet, starting anew"),
    events.NodeLeft: Saying("info", "node left"),
    events.LeaseRenewed: Saying("debug", "lease renewed"),
    events.LeaseLost: Saying("error", "lease lost"),
    events.WorkerStarted: Saying("info", "worker started"),
    events.WorkerDraining: Saying("info", "worker waits for what runs"),
    events.WorkerStopped: Saying("info", "worker stopped"),
    events.WorkerDied: Saying("error", "worker died"),
    events.WorkerKilled: Saying("warning", "worker killed, as it did not stop in time"),
    events.Occupancy: Saying("debug", "occupancy"),
    events.JobsEnqueued: Saying("debug", "jobs enqueued"),
    events.JobsClaimed: Saying("debug", "jobs claimed"),
    events.AttemptsSettled: Saying("debug", "attempts settled"),
    events.AttemptFailed: Saying("warning", "attempt failed"),
    events.ClaimsLost: Saying("warning", "claims lost"),
    events.JobsHandedBack: Saying("info", "jobs handed back"),
    events.JobsReclaimed: Saying("warning", "jobs reclaimed"),
    events.JobsPromoted: Saying("debug", "jobs promoted"),
    events.JobsParked: Saying("info", "jobs parked"),
    events.JobsUnparked: Saying("info", "jobs unparked"),
    events.RollupsFolded: Saying("debug", "rollups folded"),
    events.JobsPruned: Saying("info", "jobs pruned"),
    events.ChoreFailed: Saying("warning", "chore failed"),
    events.BellRung: Saying("debug", "bell rung"),
    events.BellHeard: Saying("debug", "bell heard"),
    events.BellLost: Saying("warning", "bell lost"),
    events.RedisLost: Saying("warning", "redis lost, going on without it"),
    events.RedisFound: Saying("info", "redis found again"),
    events.RedisRefused: Saying("warning", "redis refused a command"),
    events.RequestServed: Saying("info", "request served"),
    events.RequestBroke: Saying("error", "request broke"),
    events.ApiListening: Saying("info", "http server listening"),
    events.ApiStopped: Saying("info", "http server stopped"),
    events.ServerFailed: Saying("error", "http server failed"),
    events.ProcessDied: Saying("error", "process died, starting it again"),
    events.ShutdownAsked: Saying("info", "shutdown signal received"),
    events.ShutdownComplete: Saying("info", "shutdown complete"),
}


class Logs:
    """Writes each event that matters enough as one line: what happened, and its facts as fields."""

    def __init__(self, stream: TextIO, clock: Clock, *, level: Level = "info") -> None:
        """Write JSON, unless the stream is a terminal. Changes no logging but its own."""
        self._least = RANKS[level]
        self._clock = clock
        self._last_failure: dict[str, int] = {}
        # A person could not read so many that they would have to be written in a hurry.
        self._requests = None if stream.isatty() else RequestLines(stream, clock)
        self._stream = stream
        self._render = _for_people() if stream.isatty() else _for_programs

    def on(self, event: Event) -> None:
        """Write a line, if it matters enough."""
        saying = SAYINGS[type(event)]
        if RANKS[saying.level] < self._least:
            return
        if self._requests is None:
            self._tell(event, saying)
        elif isinstance(event, RequestServed):
            self._requests.add(event, saying.message)
        else:
            self._requests.write()  # what happened first is told first
            self._tell(event, saying)

    def _tell(self, event: Event, saying: Saying) -> None:
        if self._repeats(event):
            return
        message, facts = _told(event, saying.message)
        line = _without_secrets({"time": self._now(), "event": message, **facts})
        # A log whose reader is gone, or whose disk is full, is no reason to stop the work.
        with suppress(OSError, ValueError):
            self._stream.write(self._render(saying.level, line) + "\n")
            self._stream.flush()

    def _repeats(self, event: Event) -> bool:
        match event:
            case ChoreFailed(chore):
                failure = chore
            case BellLost():
                failure = "bell"
            case RedisRefused():
                failure = "redis"
            case _:
                return False
        now, last = self._clock.now_us(), self._last_failure.get(failure)
        if last is not None and now - last < REPEAT_AFTER_US:
            return True
        self._last_failure[failure] = now
        return False

    def _now(self) -> str:
        at = datetime.fromtimestamp(self._clock.now_us() / 1e6, UTC)
        return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _told(event: Event, message: str) -> tuple[str, dict[str, object]]:
    """What to say, and the facts; a person is told of a request as it was asked."""
    if isinstance(event, RequestServed):
        ms = round(event.took * 1e3, 1)
        facts: dict[str, object] = {"status": event.status, "ms": ms, "by": event.principal}
        return f"{event.method} {event.path}", facts
    if isinstance(event, Connected):
        message += " to postgres" if event.store.startswith("postgres") else " to sqlite"
    return message, {name: _fact(getattr(event, name)) for name in event.__struct_fields__}


def _for_programs(level: Level, line: Line) -> str:
    """When, how bad, what; then the facts."""
    told = {"time": line.pop("time"), "level": level.upper(), "msg": line.pop("event"), **line}
    return json.dumps(told, default=repr)


def _for_people() -> Renderer:
    # It brings colours along, and all that knows how to show a traceback in them.
    from structlog.dev import ConsoleRenderer  # noqa: PLC0415 - only a terminal pays for it

    colours = not os.environ.get("NO_COLOR")
    show = ConsoleRenderer(timestamp_key="time", sort_keys=False, colors=colours)

    def render(level: Level, line: Line) -> str:
        # Whoever watches knows the day.
        shown = {**_harmless(line), "time": line["time"].partition("T")[2], "level": level}
        return show(None, level, shown)

    return render


def _harmless(line: Line) -> Line:
    """Text of others is shown to a person, not obeyed by the terminal."""
    return {name: _shown(value) for name, value in line.items()}


def _shown(value: object) -> object:
    return repr(value) if isinstance(value, str) and not value.isprintable() else value


def _without_secrets(line: Line) -> Line:
    return {
        name: without_secrets(value) if isinstance(value, str) else value
        for name, value in line.items()
    }


def _fact(value: object) -> object:
    """A fact as JSON has it; seconds are told to the microsecond."""
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, Mapping):
        return {str(key): each for key, each in value.items()}
    return list(value) if isinstance(value, tuple) else value
