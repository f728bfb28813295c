"""What a caller says about one job, or about the jobs to list, made into what is sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, TypedDict, Unpack
from urllib.parse import quote

import msgspec

from windlass.client.exchange import Request
from windlass.core.backoff import Backoff
from windlass.core.duration import duration
from windlass.core.errors import BadInput
from windlass.core.job import State
from windlass.wire import jobs as shapes
from windlass.wire.jobs import Submission

JSON = {"content-type": "application/json"}
SPANS = ("delay", "timeout", "key_window")


class Options(TypedDict, total=False):
    """How one job departs from its type; spans are in seconds, or a timedelta."""

    name: str | None
    queue: str | None
    priority: int | None
    thread_demand: int | None
    scheduled_at: datetime | None
    delay: float | timedelta | None
    max_attempts: int | None
    max_crashes: int | None
    timeout: float | timedelta | None
    backoff: Backoff | None
    idempotency_key: str | None
    key_window: float | timedelta | None


class Which(TypedDict, total=False):
    """Which jobs to list; `q` is a search, as `status:failed payload.user:42 age:<2h`."""

    q: str
    status: State | str | Iterable[State | str]
    type: str
    queue: str
    name: str
    key: str
    error: str
    created_after: datetime
    created_before: datetime
    before: str
    limit: int


def new_job(type: str, payload: object = None, **options: Unpack[Options]) -> Submission:  # noqa: A002 — what everybody calls it
    """A job to submit; what is left out is as its type has it."""
    said: dict[str, Any] = {} if payload is None else {"payload": payload}
    return Submission(type=type, **said, **spoken(options))


def spoken(options: Options) -> dict[str, Any]:
    """The options as they are sent."""
    unknown = options.keys() - Options.__optional_keys__
    if unknown:
        known = ", ".join(sorted(Options.__optional_keys__))
        raise BadInput(f"a job has no option {min(unknown)!r}; it has {known}")
    said: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    for name in said.keys() & SPANS:
        said[name] = duration(said[name], name).total_seconds()
    backoff = said.get("backoff")
    if backoff is not None:
        said["backoff"] = shapes.Backoff(base=backoff.base, factor=backoff.factor, cap=backoff.cap)
    return said


def parameters(which: Which) -> dict[str, str]:
    """The list that is wanted, as the parameters of its address."""
    unknown = which.keys() - Which.__optional_keys__
    if unknown:
        known = ", ".join(sorted(Which.__optional_keys__))
        raise BadInput(f"jobs cannot be listed by {min(unknown)!r}, but by {known}")
    return {name: _parameter(value) for name, value in which.items() if value is not None}


def _parameter(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, str) or not isinstance(value, Iterable):
        return str(value)
    return ",".join(map(str, value))


def get(*path: str, query: Mapping[str, str] | None = None) -> Request:
    """A request that changes nothing."""
    return Request(method="GET", path=_path(path), query=query or {}, repeatable=True)


def post(*path: str, body: object = None, key: str | None = None, repeatable: bool) -> Request:
    """A request that changes something; with a key it may be sent again."""
    return Request(
        method="POST",
        path=_path(path),
        body=None if body is None else _written(body),
        headers={**(JSON if body is not None else {}), **({"idempotency-key": key} if key else {})},
        repeatable=repeatable or key is not None,
    )


def delete(*path: str) -> Request:
    """A request that forgets something; a second one would find nothing."""
    return Request(method="DELETE", path=_path(path), repeatable=False)


def _path(parts: Iterable[str]) -> str:
    return "".join(f"/{quote(str(part), safe='')}" for part in parts)


def _written(body: object) -> bytes:
    try:
        return msgspec.json.encode(body)
    except (TypeError, ValueError, RecursionError) as problem:
        raise BadInput(f"this cannot be written as JSON: {problem}") from problem
