"""What may be asked for: every bound on a job's options, and what to say beyond it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from windlass.core.backoff import Backoff
from windlass.core.duration import duration
from windlass.core.errors import BadInput, UnknownJob, UnknownWorker
from windlass.core.job import JobId, State, WorkerId
from windlass.core.rank import MAX_PRIORITY, MIN_PRIORITY

MAX_THREADS = 256
MAX_ATTEMPTS = 1000
MAX_CRASHES = 1000
MAX_TEXT = 200
MAX_PART = 1_000
MAX_PAGE = 1000
MIN_TTL, MAX_TTL = timedelta(seconds=0.1), timedelta(days=1)


def type_name(value: object) -> str:
    """The name of a type of job."""
    return _text(value, "a job type")


def job_name(value: object) -> str | None:
    """What this one job is called, for people."""
    return None if value is None else _text(value, "a job's name")


def key(value: object) -> str | None:
    """An idempotency key."""
    return None if value is None else _text(value, "an idempotency key")


def queue(value: object) -> str:
    """The name of a queue; `*` and what begins with `@` mean other things to a bell."""
    name = _text(value, "a queue's name")
    if name == "*" or name.startswith("@"):
        raise BadInput(f"a queue's name may not be '*' or begin with '@'; {name!r} does")
    return name


def priority(value: object) -> int:
    """Higher goes first."""
    return _whole(value, "priority", MIN_PRIORITY, MAX_PRIORITY)


def thread_demand(value: object) -> int:
    """How many CPU threads a job asks for; a job that asks for none leaves the option out."""
    return _whole(value, "thread_demand", 1, MAX_THREADS)


def max_attempts(value: object) -> int:
    """How often a job may fail before it has failed for good."""
    return _whole(value, "max_attempts", 1, MAX_ATTEMPTS)


def max_crashes(value: object) -> int:
    """How often a job may take its process down."""
    return _whole(value, "max_crashes", 1, MAX_CRASHES)


def memory_limit(value: object) -> int | None:
    """Bytes that a handler's process may use; a Python process needs some 30 MB for itself."""
    return None if value is None else _whole(value, "memory_limit", 2**25, 2**50)


def page(value: object) -> int:
    """How many jobs a list shows."""
    return _whole(value, "limit", 1, MAX_PAGE)


def timeout(value: float | timedelta | None) -> float | None:
    """Seconds that an attempt may take."""
    if value is None:
        return None
    seconds = duration(value, "timeout").total_seconds()
    if seconds == 0:
        raise BadInput("timeout must be more than 0 s; leave it out for no limit")
    return seconds


def lock_name(value: object) -> str:
    """The name of a lock."""
    return _text(value, "a lock's name")


def lock_ttl(value: float | timedelta) -> timedelta:
    """How long a lock outlives a holder that does not renew it."""
    ttl = duration(value, "ttl")
    if not MIN_TTL <= ttl <= MAX_TTL:
        raise BadInput(f"ttl must be from 0.1 s to a day, not {ttl.total_seconds():g} s")
    return ttl


def patience(value: float | timedelta | None) -> float | None:
    """Seconds to wait at most; 0 for not at all, None for as long as it takes."""
    return None if value is None else duration(value, "timeout").total_seconds()


def delay(value: float | timedelta | None) -> timedelta | None:
    """How long to wait before the job is due."""
    return None if value is None else duration(value, "delay")


def key_window(value: float | timedelta) -> timedelta:
    """How long an idempotency key is held, at least."""
    return duration(value, "key_window")


def run_at(value: object) -> datetime | None:
    """When the job is due."""
    if value is None:
        return None
    if not isinstance(value, datetime):
        raise BadInput(f"run_at must be a datetime, not {value!r}")
    if value.utcoffset() is None:
        raise BadInput(
            f"run_at {value.isoformat()} has no time zone;"
            " write datetime(..., tzinfo=UTC) or datetime.now(UTC) + timedelta(...)"
        )
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise BadInput(
            f"run_at {value.isoformat()} is outside the years 1 to 9999 in UTC"
        ) from None


def moment(value: object) -> datetime:
    """A point in time."""
    if not isinstance(value, datetime) or value.utcoffset() is None:
        raise BadInput(f"a time must be a datetime with a time zone, not {value!r}")
    return value


def part(value: object) -> str:
    """A part of a text that is looked for; it may be any text that a store can keep."""
    if not isinstance(value, str):
        raise BadInput(f"what is looked for must be text, not {value!r}")
    if len(value) > MAX_PART:
        raise BadInput(
            f"what is looked for has at most {MAX_PART:,} characters, not {len(value):,}"
        )
    if "\0" in value or _torn(value):
        raise BadInput("what is looked for has a NUL or half a surrogate pair; no text here does")
    return value


def backoff(value: object) -> Backoff | None:
    """How long to wait between attempts."""
    if value is None or isinstance(value, Backoff):
        return value
    raise BadInput(f"backoff must be a Backoff(base=…, factor=…, cap=…), not {value!r}")


def state(value: object) -> State:
    """One of the six states."""
    try:
        return State(str(value))
    except ValueError:
        raise BadInput(f"no state {value!r}; states: {', '.join(State)}") from None


def job_id(value: object) -> JobId:
    """A job's id as it is stored. What cannot be an id is the id of no job."""
    try:
        return JobId(str(UUID(str(value))))
    except ValueError:
        raise UnknownJob(str(value)) from None


def worker_id(value: object) -> WorkerId:
    """A worker's id as it is stored. What cannot be an id is the id of no worker."""
    try:
        return WorkerId(str(UUID(str(value))))
    except ValueError:
        raise UnknownWorker(str(value)) from None


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise BadInput(f"{what} must be text, not {value!r}")
    if not 1 <= len(value) <= MAX_TEXT:
        raise BadInput(f"{what} must have 1 to {MAX_TEXT} characters; this one has {len(value)}")
    if not value.isprintable():
        raise BadInput(f"{what} must have printable characters only; {value!r} does not")
    return value


def _torn(value: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in value)


def _whole(value: object, what: str, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise BadInput(f"{what} must be a whole number from {low} to {high}, not {value!r}")
    return value
